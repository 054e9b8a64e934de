/** When the next request may leave. */
export interface Pace {
  /** Resolves when it may; the request counts as sent from then on. */
  readonly turn: () => Promise<void>;
  /** What an answer says about the rate. */
  readonly heard: (news: RateNews) => Promise<void>;
}

export interface RateNews {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Milliseconds the service asked to wait. */
  readonly retryAfter: number | undefined;
}

export const unpaced: Pace = { turn: () => Promise.resolve(), heard: () => Promise.resolve() };
