import type { ExitCode } from "../../contract/exit-codes.ts";
import { Failure } from "../../contract/failure.ts";

/** What one check found. */
export interface Finding {
  readonly check: string;
  readonly result: "ok" | "warn" | "fail";
  readonly found: string;
  /** What to do; of everything that is not ok. */
  readonly next?: string | undefined;
  /** What a command would end with, for the same reason. */
  readonly exit?: ExitCode;
}

export const ok = (check: string, found: string): Finding => ({ check, result: "ok", found });

export const warn = (check: string, found: string, next: string): Finding => ({
  check,
  result: "warn",
  found,
  next,
});

export const fail = (check: string, found: string, next: string, exit: ExitCode): Finding => ({
  check,
  result: "fail",
  found,
  next,
  exit,
});

/** A failure that a command would end with; anything else is a bug or an interruption. */
export function failed(check: string, cause: unknown, next = "see: dexdata help exit-codes"): Finding {
  if (!(cause instanceof Failure)) throw cause;
  const { message, exit, details } = cause;
  const why = details.why === undefined ? "" : `: ${details.why}`;
  return fail(check, `${message}${why}`, details.next ?? next, exit);
}

/** `83 ms`, `2.4 s`. */
export function took(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
