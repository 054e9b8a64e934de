/** When the next request may leave. */
export interface Pace {
  /**
   * Resolves when it may; the request counts as sent from then on. `until` ends the wait of a stream that may not be
   * reopened yet.
   */
  readonly turn: (kind?: SendKind, until?: AbortSignal) => Promise<Turn>;
  /** What an answer says about the rate. */
  readonly heard: (news: RateNews, turn: Turn) => Promise<void>;
}

/**
 * What leaves: a request, the first try to open a stream, or a later one. All count alike, but streams are reopened within
 * half of the rate, so that a service which keeps closing them cannot use up the rate of the key's requests.
 */
export type SendKind = "request" | "opening" | "reopening";

/** A place in the minute that a request has taken. */
export interface Turn {
  /** On the clock that all processes of the machine share. */
  readonly at: number;
  /** Requests sent in the minute before it. */
  readonly before: number;
}

export interface RateNews {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Milliseconds the service asked to wait. */
  readonly retryAfter: number | undefined;
}

/** How fast requests may leave, and who says so. */
export type PaceRate =
  /** The plan's; undefined where no rate of it is known. Lowered by what the service says. */
  | { readonly kind: "plan"; readonly perMinute: number | undefined; readonly plan: string }
  /** Asked for with `--rpm`: spread over the minute, and never lowered. */
  | { readonly kind: "fixed"; readonly perMinute: number; readonly where: string }
  | { readonly kind: "unlimited" };

/** At most so many sends within any span of so many milliseconds. */
export interface Allowance {
  readonly sends: number;
  readonly window: number;
  /** How much longer the window is than the service's: so late may a request arrive there without harm. */
  readonly slack: number;
}

/** The service's minute and 2 % more: requests do not take equally long to arrive. */
export const minute = 60_000;
const stretch = 1.02;

/** A whole minute's requests may leave at once, as the service counts them. */
export function planAllowance(perMinute: number): Allowance {
  return { sends: perMinute, window: minute * stretch, slack: minute * (stretch - 1) };
}

/**
 * A tenth of a minute's requests in a tenth of the minute. On so short a window 2 % are little, hence 100 ms: a
 * program that has just started may take that long to connect.
 */
export function fixedAllowance(perMinute: number): Allowance {
  const sends = Math.max(1, Math.floor(perMinute / 10));
  const span = (sends / perMinute) * minute;
  const window = Math.ceil(span * stretch + 100);
  return { sends, window, slack: window - span };
}
