import { type ErrorCode, errorCodes, exitsOf, factsOf, isErrorCode } from "../../contract/errors.ts";
import { type ExitCode, exitCodes, exits } from "../../contract/exit-codes.ts";
import { isServiceCode, meaningOf, serviceErrors } from "../../contract/service-errors.ts";

/** What a code, a status or an exit code means; the names are those of its JSON. */
export interface Explanation {
  readonly word: string;
  readonly kind: "error code of the service" | "error code of dexdata" | "HTTP status" | "exit code";
  readonly meaning: string;
  readonly status?: number;
  readonly exit: number;
  /** Of an error: whether the same request may succeed later without a change. Of a status: whether it is retried. */
  readonly retryable?: boolean;
  readonly next: string;
  /** The codes that come with the status, or lead to the exit code. */
  readonly codes?: readonly string[];
  /** What the body of the answer may say. */
  readonly example?: Readonly<Record<string, unknown>>;
}

/** Undefined for a word that is no code, status or exit code. */
export function explanationOf(word: string): Explanation | undefined {
  if (isErrorCode(word)) return ofCode(word);
  if (!/^\d{1,3}$/u.test(word)) return undefined;
  const exit = exits.find((each) => String(each) === word);
  if (exit !== undefined) return ofExit(exit);
  const status = Number(word);
  return status >= 200 && status <= 599 ? ofStatus(status) : undefined;
}

/** Every word that is explained, but for statuses that the specification does not name. */
export function explainedWords(): readonly string[] {
  const statuses = Object.values(serviceErrors).map(({ status }) => String(status));
  return [...errorCodes, ...new Set(statuses), ...exits.map(String)];
}

function ofCode(word: ErrorCode): Explanation {
  const { exit, retryable, meaning, next } = factsOf(word);
  if (!isServiceCode(word)) return { word, kind: "error code of dexdata", exit, meaning, next, retryable };
  const { status, fields } = serviceErrors[word];
  const example = { error: word, message: "…", ...fields };
  return { word, kind: "error code of the service", meaning, status, exit, retryable, next, example };
}

function ofStatus(status: number): Explanation {
  const word = String(status);
  if (status < 300) {
    const meaning = "the service answered; an empty list is an answer too";
    return { word, kind: "HTTP status", meaning, status, exit: 0, next: "nothing" };
  }
  const { exit, retried, code } = meaningOf(status);
  const codes = Object.entries(serviceErrors).flatMap(([name, each]) =>
    each.status === status ? [name] : [],
  );
  const { meaning, next } = codes.length === 0 ? unnamed(status) : serviceErrors[code];
  return {
    word,
    kind: "HTTP status",
    meaning: codes.length > 1 ? "the error of the body says which it is" : meaning,
    status,
    exit,
    retryable: retried,
    next: codes.length > 1 ? exitCodes[exit].next : next,
    ...(codes.length > 0 && { codes }),
  };
}

function unnamed(status: number): { readonly meaning: string; readonly next: string } {
  if (status >= 500)
    return {
      meaning: "the service, or something before it, failed; it is not retried unless --retry-on names it",
      next: `try again later, or let the run do it: --retry-on ${status}`,
    };
  if (status >= 400) return { meaning: "the service refused the request", next: "fix the command" };
  return {
    meaning: "a redirect, which is never followed: the key would go to another host",
    next: "check the base URL: dexdata config list",
  };
}

function ofExit(exit: ExitCode): Explanation {
  const { when, next } = exitCodes[exit];
  const codes = errorCodes.filter((code) => exitsOf(code).includes(exit));
  return {
    word: String(exit),
    kind: "exit code",
    meaning: when,
    exit,
    next,
    ...(codes.length > 0 && { codes }),
  };
}
