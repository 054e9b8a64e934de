import { type ErrorFacts, type OwnCode, ownErrors } from "../base/errors.ts";
import { Failure, type FailureDetails } from "../base/failure.ts";
import type { ExitCode } from "../base/exit-codes.ts";
import { isServiceCode, meaningOf, type ServiceCode, serviceErrors } from "./service-errors.ts";

/** The codes of all failures: those in the service's error bodies, and dexdata's own. */
export type ErrorCode = ServiceCode | OwnCode;

export const errorCodes: readonly ErrorCode[] = [
  ...Object.keys(serviceErrors),
  ...Object.keys(ownErrors),
].filter(isErrorCode);

export function isErrorCode(word: string): word is ErrorCode {
  return isServiceCode(word) || Object.hasOwn(ownErrors, word);
}

/** The most common exit code comes first. */
export function exitsOf(code: ErrorCode): readonly ExitCode[] {
  if (isServiceCode(code)) return [factsOf(code).exit];
  const { exit, otherExit } = ownErrors[code];
  return otherExit === undefined ? [exit] : [exit, otherExit];
}

export function factsOf(code: ErrorCode): ErrorFacts {
  if (!isServiceCode(code)) return ownErrors[code];
  const { status, meaning, next } = serviceErrors[code];
  const { exit, retryable } = meaningOf(status);
  return { exit, retryable, meaning, next };
}

/** A failure with one of the service's codes, which determines the exit code and the defaults of `retryable` and `next`. */
export function failAsService(
  code: ServiceCode,
  message: string,
  details: Partial<FailureDetails> = {},
): Failure {
  const { exit, retryable, next } = factsOf(code);
  return new Failure(message, { exit, retryable, next, ...details, code });
}
