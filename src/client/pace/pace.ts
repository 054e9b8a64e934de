/** Decides when the next request may be sent. */
export interface Pace {
  /**
   * Resolves when the request may be sent, which counts as sent from that time. `until` cancels the wait of a stream
   * that may not be reopened yet.
   */
  readonly turn: (kind?: SendKind, until?: AbortSignal) => Promise<Turn>;
  /** Updates the rate limit from a response. */
  readonly heard: (news: RateNews, turn: Turn) => Promise<void>;
}

/**
 * A request, the first attempt to open a stream, or a later attempt. All of them count toward the limit, but reopening
 * streams may use only half of it. A service that keeps closing streams therefore cannot use up the rate limit of the
 * key's requests.
 */
export type SendKind = "request" | "opening" | "reopening";

/** The place of one request within the rate limit. */
export interface Turn {
  /** The time at which the request was sent, on a clock that all processes on this machine share. */
  readonly at: number;
  /** The number of requests sent in the minute before this one. */
  readonly before: number;
}

export interface RateNews {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Milliseconds to wait, as requested by the service. */
  readonly retryAfter: number | undefined;
}

/** The rate limit and its source. */
export type PaceRate =
  /** The limit of the plan; undefined if unknown. Limits that the service reports can lower it. */
  | { readonly kind: "plan"; readonly perMinute: number | undefined; readonly plan: string }
  /** The limit set with `--rpm`. Requests are spread over the minute, and the limit is never lowered. */
  | { readonly kind: "fixed"; readonly perMinute: number; readonly where: string }
  | { readonly kind: "unlimited" };

/** Allows up to `sends` requests within any period of `window` milliseconds. */
export interface Allowance {
  readonly sends: number;
  readonly window: number;
  /**
   * The milliseconds by which this window exceeds the service's own. A request may arrive this late without harm.
   */
  readonly slack: number;
}

/**
 * One minute in milliseconds, as the service counts it. The client's window is 2 % longer, because some requests take
 * longer to arrive than others.
 */
export const minute = 60_000;
const stretch = 1.02;

/** Allows all requests of a minute to be sent at once, because the service counts them per minute. */
export function planAllowance(perMinute: number): Allowance {
  return { sends: perMinute, window: minute * stretch, slack: minute * (stretch - 1) };
}

/**
 * Allows a tenth of the requests per minute in a tenth of a minute. For such a short window, 2 % is not enough, so
 * another 100 ms are added: a program that has just started may need that long to connect.
 */
export function fixedAllowance(perMinute: number): Allowance {
  const sends = Math.max(1, Math.floor(perMinute / 10));
  const span = (sends / perMinute) * minute;
  const window = Math.ceil(span * stretch + 100);
  return { sends, window, slack: window - span };
}
