export interface Pace {
  /** The request counts as sent when this resolves. `until` cancels a stream's wait to be reopened. */
  readonly turn: (kind?: SendKind, until?: AbortSignal) => Promise<Turn>;
  readonly record: (news: RateNews, turn: Turn) => Promise<void>;
}

/**
 * All kinds count toward the limit, but reopening streams may use only half of it, so that a service that keeps closing
 * streams cannot use up the key's entire rate limit.
 */
export type SendKind = "request" | "opening" | "reopening";

export interface Turn {
  /** When the request was sent, on a clock that all processes on this machine share. */
  readonly at: number;
  /** Requests sent in the minute before this one. */
  readonly before: number;
}

export interface RateNews {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** In milliseconds, as requested by the service. */
  readonly retryAfter: number | undefined;
}

export type PaceRate =
  /** `perMinute` is undefined if unknown; limits that the service reports can lower it. */
  | { readonly kind: "plan"; readonly perMinute: number | undefined; readonly plan: string }
  /** Set with `--rpm`. Requests are spread over the minute, and the limit is never lowered. */
  | { readonly kind: "fixed"; readonly perMinute: number; readonly where: string }
  | { readonly kind: "unlimited" };

/** Up to `sends` requests within any period of `window` milliseconds. */
export interface Allowance {
  readonly sends: number;
  readonly window: number;
  /** How many milliseconds longer this window is than the service's own, and thus how late a request may arrive. */
  readonly slack: number;
}

/** In milliseconds. The client's window is 2% longer, because some requests take longer to arrive than others. */
export const minute = 60_000;
const stretch = 1.02;

/** Allows all of a minute's requests to be sent at once, because the service counts them per minute. */
export function planAllowance(perMinute: number): Allowance {
  return { sends: perMinute, window: minute * stretch, slack: minute * (stretch - 1) };
}

/**
 * A tenth of the requests in a tenth of a minute. For such a short window, 2% is not enough, so another 100 ms is
 * added: a program that has just started may need that long to connect.
 */
export function fixedAllowance(perMinute: number): Allowance {
  const sends = Math.max(1, Math.floor(perMinute / 10));
  const span = (sends / perMinute) * minute;
  const window = Math.ceil(span * stretch + 100);
  return { sends, window, slack: window - span };
}
