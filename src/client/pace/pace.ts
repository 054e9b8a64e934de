/** Decides when the next request may be sent. */
export interface Pace {
  /**
   * Resolves when the request may be sent; it counts as sent from then on. `until` ends the wait of a stream that may not
   * be reopened yet.
   */
  readonly turn: (kind?: SendKind, until?: AbortSignal) => Promise<Turn>;
  /** Learns about the rate from a response. */
  readonly heard: (news: RateNews, turn: Turn) => Promise<void>;
}

/**
 * A request, the first attempt to open a stream, or a later one. All count alike, but streams are reopened within half of
 * the rate, so that a service which keeps closing them cannot use up the rate of the key's requests.
 */
export type SendKind = "request" | "opening" | "reopening";

/** A request's place within the rate. */
export interface Turn {
  /** On the clock that all processes of the machine share. */
  readonly at: number;
  /** Requests sent in the minute before it. */
  readonly before: number;
}

export interface RateNews {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Milliseconds that the service requested to wait. */
  readonly retryAfter: number | undefined;
}

/** The rate limit, and where it comes from. */
export type PaceRate =
  /** The plan's; undefined if it is unknown. Lowered by what the service reports. */
  | { readonly kind: "plan"; readonly perMinute: number | undefined; readonly plan: string }
  /** Set with `--rpm`: spread over the minute, and never lowered. */
  | { readonly kind: "fixed"; readonly perMinute: number; readonly where: string }
  | { readonly kind: "unlimited" };

/** At most this many sends within any span of this many milliseconds. */
export interface Allowance {
  readonly sends: number;
  readonly window: number;
  /** How much longer the window is than the service's: a request may arrive this late without harm. */
  readonly slack: number;
}

/** The service's minute and 2 % more: requests do not take equally long to arrive. */
export const minute = 60_000;
const stretch = 1.02;

/** All requests of a minute may be sent at once, as the service counts them. */
export function planAllowance(perMinute: number): Allowance {
  return { sends: perMinute, window: minute * stretch, slack: minute * (stretch - 1) };
}

/**
 * A tenth of a minute's requests in a tenth of the minute. 2 % of such a short window are too little, so it is 100 ms: a
 * program that has just started may take that long to connect.
 */
export function fixedAllowance(perMinute: number): Allowance {
  const sends = Math.max(1, Math.floor(perMinute / 10));
  const span = (sends / perMinute) * minute;
  const window = Math.ceil(span * stretch + 100);
  return { sends, window, slack: window - span };
}
