import { type OtherExit, type OwnCode, ownErrors } from "./errors.ts";
import type { ExitCode } from "./exit-codes.ts";

export interface FailureDetails {
  readonly exit: ExitCode;
  /** A command to type or a step to take next, on one line. */
  readonly next?: string | undefined;
  /** Untrusted text from the service, sanitized before it is displayed. */
  readonly why?: string | undefined;
  /** What is wrong with an invalid input, without the input. */
  readonly problem?: string;
  /** Stable, so that scripts can branch on it: dexdata's own (see errors.ts), or one of the service. */
  readonly code: string;
  readonly status?: number | undefined;
  /** Whether the same command may succeed later without changes. */
  readonly retryable?: boolean | undefined;
  /**
   * A gateway or the name server failed, not the service or the connection. dexdata retries such a request only if it
   * knows that the host exists and works, or if the run is supposed to outlast outages.
   */
  readonly isOutage?: boolean | undefined;
  /** Every field in the error body, by name. The values are raw JSON, so numbers keep all their digits. */
  readonly body?: ReadonlyMap<string, string> | undefined;
  /** Milliseconds to wait, as requested by the service. */
  readonly retryAfter?: number | undefined;
  /** The request definitely did not reach the service, so it cost nothing. */
  readonly isUnsent?: boolean | undefined;
  /** A pull's rows were modified. Resuming would fail, so only `next` helps. */
  readonly isDamaged?: boolean | undefined;
  readonly incomplete?: {
    /** Rows that the service counts but does not return. None of them are newer than `to` (RFC 3339). */
    readonly missing: { readonly rows: number | undefined; readonly to: string | undefined };
    /** One sentence for each contradiction that remained. */
    readonly doubts: readonly string[];
  };
  readonly cause?: unknown;
}

/** The only kind of error that is meant for users. Any other error that reaches `main` is a bug. */
export class Failure extends Error {
  declare readonly details: FailureDetails;
  declare readonly code: string;
  declare readonly status: number | undefined;
  declare readonly retryable: boolean;
  declare readonly why: string | undefined;
  declare readonly next: string | undefined;

  constructor(message: string, details: FailureDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "Failure";
    Object.defineProperty(this, "details", { value: details });
    // If a program that uses the library does not catch the failure, Node prints these members: the next step comes last.
    const { code, status, retryable = false, why, next } = details;
    for (const [name, value] of Object.entries({ code, status, retryable, why, next }))
      Object.defineProperty(this, name, { value, enumerable: value !== undefined });
  }

  get exit(): ExitCode {
    return this.details.exit;
  }

  /** The service can send any name here. */
  get param(): string | undefined {
    const named: unknown = JSON.parse(this.details.body?.get("param") ?? "null");
    return typeof named === "string" ? named : undefined;
  }

  /** In milliseconds. */
  get retryAfter(): number | undefined {
    return this.details.retryAfter;
  }

  get body(): FailureDetails["body"] {
    return this.details.body;
  }
}

/** Pass `next: undefined` if there is nothing to suggest. */
export interface KnownDetails<Code extends OwnCode> extends Omit<FailureDetails, "code" | "exit"> {
  readonly exit?: OtherExit<Code>;
}

/** The code determines the exit code and the defaults for `retryable` and `next`. */
export function fail<Code extends OwnCode>(
  code: Code,
  message: string,
  details: KnownDetails<Code> = {},
): Failure {
  const { exit, retryable, next } = ownErrors[code];
  return new Failure(message, { exit, retryable, next, ...details, code });
}

/** For an invalid command line or setting. Nothing was sent. */
export function usageFailure(message: string, next?: string): Failure {
  return fail("usage", message, { next });
}

/** `label` is the input as typed, such as `--limit "ten"`. `problem` says what is wrong or accepted. */
export function invalidInput(label: string, problem: string, next?: string): Failure {
  return fail("usage", `invalid ${label}: ${problem}`, { problem, next });
}

/** For a response that is not JSON, has an unexpected shape, or violates one of the service's guarantees. */
export function invalidResponse(message: string): Failure {
  return fail("untrusted_answer", message);
}

/** For a response that a gateway has probably replaced or damaged. */
export function damagedResponse(message: string): Failure {
  return fail("untrusted_answer", message, { isOutage: true, retryable: true });
}

/** Whether the failure concerns only one input, so that the others can still be requested. */
export function affectsOneInput({ details: { status, isOutage } }: Failure): boolean {
  return isOutage !== true && (status === 404 || status === 400);
}

/** Undefined if `work` throws, whatever the error is. */
export function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The failure as a value. Any other error is a bug or an interruption, and is thrown. */
export function asFailure(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  throw cause;
}

/** The result of `work`, or its failure. */
export function attempt<T>(work: () => T): T | Failure {
  try {
    return work();
  } catch (cause) {
    return asFailure(cause);
  }
}
