/** Credits that may be spent. */
export interface Budget {
  /** Sets credits aside before a request; a Failure when that would pass what may be spent. */
  readonly claim: (credits: number) => Promise<Claim>;
}

export interface Claim {
  /** What the request cost after all. Without this call all of it counts: a request without an answer may cost too. */
  readonly settle: (credits: number) => Promise<void>;
}

export const unbounded: Budget = {
  claim: () => Promise.resolve({ settle: () => Promise.resolve() }),
};
