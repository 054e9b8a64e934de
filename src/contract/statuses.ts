import type { ExitCode } from "./exit-codes.ts";
import type { ServiceCode } from "./service-errors.ts";

/** What an answer of the service means for the run; the one table that decides exit code and retry. */
export interface Meaning {
  readonly exit: ExitCode;
  /** Whether the same request may be sent again by itself: 429 and 500 only, as the specification says. */
  readonly retried: boolean;
  /** The word to branch on when the body names none. */
  readonly code: ServiceCode;
}

const meanings: Readonly<Record<number, Meaning>> = {
  400: { exit: 2, retried: false, code: "invalid_param" },
  401: { exit: 4, retried: false, code: "unauthorized" },
  402: { exit: 5, retried: false, code: "payment_required" },
  403: { exit: 4, retried: false, code: "forbidden" },
  404: { exit: 3, retried: false, code: "not_found" },
  405: { exit: 2, retried: false, code: "method_not_allowed" },
  410: { exit: 3, retried: false, code: "endpoint_removed" },
  429: { exit: 6, retried: true, code: "rate_limited" },
  500: { exit: 7, retried: true, code: "internal_error" },
};

/**
 * By status: it is always there, while bodies may be empty, HTML or of an older form. The body's code refines
 * the sentence, never the exit code, so a reworded or unknown code changes nothing.
 */
export function meaningOf(status: number): Meaning {
  const known = meanings[status];
  if (known !== undefined) return known;
  if (status >= 500) return { exit: 7, retried: false, code: "unavailable" };
  if (status >= 400) return { exit: 2, retried: false, code: "invalid_param" };
  // 1xx and 3xx do not belong to the interface: nothing in them can be trusted as an answer.
  return { exit: 1, retried: false, code: "internal_error" };
}
