/** The exit codes a script can branch on; the README explains each. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 129 | 130 | 131 | 143;

export interface FailureDetails {
  readonly exit: ExitCode;
  /** What to type or do next, one line each; at most one is shown to people. */
  readonly next?: string | undefined;
  /** Why, in the service's own words; untrusted text, sanitised where it is shown. */
  readonly why?: string | undefined;
  /** Stable word to branch on: one of the service's, or one of ours (`usage`, `timeout`, `network` …). */
  readonly code?: string | undefined;
  /** HTTP status of the answer that was refused. */
  readonly status?: number | undefined;
  /** Whether the same command may succeed later without a change. */
  readonly retryable?: boolean | undefined;
  /** Every field of the service's error body under its own name, digits intact (values are JSON texts). */
  readonly body?: ReadonlyMap<string, string> | undefined;
  /** Milliseconds the service asked to wait; an instant is already turned into a wait. */
  readonly retryAfter?: number | undefined;
  /** The request surely never reached the service, so it cost nothing. */
  readonly isUnsent?: boolean | undefined;
  /** Rows of a list that the service counts and does not return; `to`: at or before this time, RFC 3339. */
  readonly missing?: { readonly rows: number | undefined; readonly to: string | undefined } | undefined;
  readonly cause?: unknown;
}

/**
 * The one kind of error that is meant for people: what is wrong, in their words, with the exit code. Anything
 * else that reaches `main` is a bug.
 */
export class Failure extends Error {
  readonly details: FailureDetails;

  constructor(message: string, details: FailureDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "Failure";
    this.details = details;
  }

  get exit(): ExitCode {
    return this.details.exit;
  }

  get status(): number | undefined {
    return this.details.status;
  }

  get code(): string | undefined {
    return this.details.code;
  }

  /** The parameter that the service refused, by its wire name; it may name any. */
  get param(): string | undefined {
    const named: unknown = JSON.parse(this.details.body?.get("param") ?? "null");
    return typeof named === "string" ? named : undefined;
  }

  /** Milliseconds. */
  get retryAfter(): number | undefined {
    return this.details.retryAfter;
  }
}

/** The command line or a setting is wrong: exit 2, and nothing was sent. */
export function usageFailure(message: string, next?: string): Failure {
  return new Failure(message, { exit: 2, code: "usage", next, retryable: false });
}

/** The service's answer cannot be trusted: not the shape, not JSON, a promise not kept. Exit 1. */
export function untrustedAnswer(
  message: string,
  why?: string,
  next: string = "if this stays so, report it with the output of the same command and -v",
): Failure {
  return new Failure(message, {
    exit: 1,
    code: "untrusted_answer",
    why,
    retryable: false,
    next,
  });
}
