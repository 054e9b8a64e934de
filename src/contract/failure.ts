import { type ErrorCode, factsOf, type OtherExit } from "./errors.ts";
import type { ExitCode } from "./exit-codes.ts";

export interface FailureDetails {
  readonly exit: ExitCode;
  /** What to type or do next, one line each; at most one is shown to people. */
  readonly next?: string | undefined;
  /** Why, in the service's own words; untrusted text, sanitised where it is shown. */
  readonly why?: string | undefined;
  /** Stable word to branch on. */
  readonly code: ErrorCode;
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
  /** The rows of a pull are not those that it wrote any more: to continue it would fail, and only `next` helps. */
  readonly isDamaged?: boolean | undefined;
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

  get code(): ErrorCode {
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

/** What a place knows beyond the code. `next: undefined` where nothing can be done that the message does not say. */
export interface KnownDetails<Code extends ErrorCode> extends Omit<FailureDetails, "code" | "exit"> {
  readonly exit?: OtherExit<Code>;
}

/** A failure of dexdata itself: its code decides the exit code, and unless details differ, `retryable` and `next`. */
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

/** The service's answer cannot be trusted: not the shape, not JSON, a promise not kept. Exit 1. */
export function untrustedAnswer(message: string): Failure {
  return fail("untrusted_answer", message);
}

/** Whether one input among several earned the refusal, so that the others can still be asked for. */
export function isOfOneInput({ details: { status } }: Failure): boolean {
  return status === 404 || status === 400;
}
