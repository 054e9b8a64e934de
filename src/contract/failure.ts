import { type ErrorCode, factsOf, type OtherExit } from "./errors.ts";
import type { ExitCode } from "./exit-codes.ts";

export interface FailureDetails {
  readonly exit: ExitCode;
  /** The hint: what to type or do next, on one line. */
  readonly next?: string | undefined;
  /** The reason in the service's words. This text is untrusted and is sanitized where it is shown. */
  readonly why?: string | undefined;
  /** The stable code to branch on. */
  readonly code: ErrorCode;
  /** HTTP status of the failed response. */
  readonly status?: number | undefined;
  /** Whether the same command may succeed later without a change. */
  readonly retryable?: boolean | undefined;
  /** Every field of the error body by name, with all digits (values are JSON texts). */
  readonly body?: ReadonlyMap<string, string> | undefined;
  /** Milliseconds that the service requested to wait. A time was converted to a wait. */
  readonly retryAfter?: number | undefined;
  /** The request certainly did not reach the service, so it cost nothing. */
  readonly isUnsent?: boolean | undefined;
  /** The rows of a pull were modified: resuming it would fail, and only `next` helps. */
  readonly isDamaged?: boolean | undefined;
  /** Rows of a list that the service counts but does not return; `to`: at or before this time, RFC 3339. */
  readonly missing?: { readonly rows: number | undefined; readonly to: string | undefined } | undefined;
  readonly cause?: unknown;
}

/**
 * The only kind of error that is meant for people: it describes the problem and has the exit code. Any other error that
 * reaches `main` is a bug.
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

  get code(): ErrorCode {
    return this.details.code;
  }

  /** The parameter that the service rejected, by its wire name. The service can send any name. */
  get param(): string | undefined {
    const named: unknown = JSON.parse(this.details.body?.get("param") ?? "null");
    return typeof named === "string" ? named : undefined;
  }

  /** Milliseconds. */
  get retryAfter(): number | undefined {
    return this.details.retryAfter;
  }
}

/** Details in addition to the code. `next: undefined` if there is no hint beyond the message. */
export interface KnownDetails<Code extends ErrorCode> extends Omit<FailureDetails, "code" | "exit"> {
  readonly exit?: OtherExit<Code>;
}

/** Creates a failure by its code, which decides the exit code and the default of `retryable` and `next`. */
export function fail<Code extends ErrorCode>(
  code: Code,
  message: string,
  details: KnownDetails<Code> = {},
): Failure {
  const { exit, retryable, next } = factsOf(code);
  return new Failure(message, { exit, retryable, next, ...details, code });
}

/** The command line or a setting is wrong: exit 2, and nothing was sent. */
export function usageFailure(message: string, next?: string): Failure {
  return fail("usage", message, { next });
}

/** `label`: the input as it was typed, such as `--limit "ten"`; `problem`: what is wrong, or what it must be. */
export function invalidInput(label: string, problem: string, next?: string): Failure {
  return usageFailure(`invalid ${label}: ${problem}`, next);
}

/** The response cannot be trusted: not JSON, an unexpected shape, or a broken promise. Exit 1. */
export function untrustedAnswer(message: string): Failure {
  return fail("untrusted_answer", message);
}

/** Whether the failure affects only one of several inputs, so that the others can still be requested. */
export function isOfOneInput({ details: { status } }: Failure): boolean {
  return status === 404 || status === 400;
}
