import { STATUS_CODES } from "node:http";
import type { Context } from "../../../base/context/context.ts";
import { type ExitCode, exitCodes, exits } from "../../../base/exit-codes.ts";
import { usageFailure } from "../../../base/failure.ts";
import { withoutSecrets } from "../../../base/key.ts";
import { didYouMean, nearest } from "../../../base/text/nearest.ts";
import type { Input } from "../command.ts";
import type { explainFlags } from "../../run/flags/shared-flags.ts";
import { writeDocument } from "../../run/output/local-output.ts";
import { noPriceReasons } from "../../../api/record.ts";
import {
  type ErrorCode,
  errorCodes,
  exitsOf,
  factsOf,
  isErrorCode,
  isGatewayStatus,
  isServiceCode,
  meaningOf,
  serviceErrors,
} from "../../../api/service-errors.ts";
import type { Block } from "../../help-page.ts";
import { printPage } from "../../print-page.ts";

/** Does not send a request. Prints text unless the user selects a format. */
export async function explain(
  { words, flags }: Input<typeof explainFlags>,
  context: Context,
): Promise<ExitCode> {
  const word = wordIn(words.join(" "));
  const explanation = explanationOf(word);
  if (explanation === undefined && words[0]?.includes("/") === true)
    return await (await import("./old-url.ts")).explainUrl(words, flags, context);
  if (word === "")
    throw usageFailure(
      "missing <code>: an error code, HTTP status, exit code, or the URL of an API endpoint",
      "usage: dexdata explain <code>, or dexdata explain '<URL>'",
    );
  if (explanation === undefined) {
    // The codes are long, so a short word is close to one only by chance.
    const near = word.length < 4 || /\d/u.test(word) ? undefined : nearest(word, explainedWords());
    const known = /^[a-z]\d$/u.test(word)
      ? "rules of verify: dexdata verify --help"
      : "known codes: see docs/reference.md, or e.g. dexdata explain 8";
    throw usageFailure(
      `unknown error code, HTTP status, exit code or URL "${withoutSecrets(words.join(" "))}"`,
      didYouMean(near, known),
    );
  }
  if (flags.output === "ndjson" || flags.output === "json")
    return await writeDocument(context, flags.output, explanation);
  await printPage(pageOf(explanation), context);
  return 0;
}

/** A message, an error body or a status line may be pasted: the first code in it counts, or else its number. */
function wordIn(typed: string): string {
  const text = typed.trim().toLowerCase();
  const word = text.replaceAll(/[\s-]+/gu, "_");
  const codes = text.match(/[a-z]+(?:_[a-z]+)+|(?<="(?:code|error)":\s*")[a-z]+/gu) ?? [];
  const number = /(?:^|\b(?:http(?:\/[\d.]+)?|status|code|exit|error)[":\s]{1,3})(\d{1,3})(?![\w./])/u;
  const phrase = Object.keys(STATUS_CODES).find((each) => STATUS_CODES[each]?.toLowerCase() === text);
  const found = [word, ...codes, number.exec(text)?.[1] ?? "", phrase ?? ""];
  return found.find((each) => explanationOf(each) !== undefined) ?? word;
}

function pageOf(explanation: Explanation): readonly Block[] {
  const { word, kind, meaning, status, exit, retryable, next, codes = [], example } = explanation;
  const rows: [string, string][] = [["meaning", meaning]];
  if (status !== undefined && String(status) !== word) rows.push(["status", String(status)]);
  if (String(exit) !== word) rows.push(["exit code", String(exit)]);
  if (retryable !== undefined)
    rows.push(["retryable", retryable ? "yes: the same command may succeed later" : "no"]);
  rows.push(["next", next]);
  const article = /^(?:HTTP|exit)/u.test(kind) ? "an" : "a";
  return [
    { heading: `${word}, ${article} ${kind}`, rows },
    ...(codes.length === 0 ? [] : [{ heading: "Codes", rows: codes.map(withMeaning) }]),
    ...(example === undefined ? [] : [{ heading: "Example response", commands: [JSON.stringify(example)] }]),
  ];
}

const withMeaning = (code: string): readonly [string, string] => [code, explanationOf(code)?.meaning ?? ""];

/** The fields have the same names in the JSON output. */
interface Explanation {
  readonly word: string;
  readonly kind:
    | "service error code"
    | "dexdata error code"
    | "HTTP status"
    | "exit code"
    | "reason for no price";
  readonly meaning: string;
  readonly status?: number;
  readonly exit: number;
  /** For an error code, whether the request may succeed later; for a status, whether dexdata retries it. */
  readonly retryable?: boolean;
  readonly next: string;
  /** The error codes that have this status or lead to this exit code. */
  readonly codes?: readonly string[];
  readonly example?: Readonly<Record<string, unknown>>;
}

function explanationOf(word: string): Explanation | undefined {
  if (isErrorCode(word)) return ofCode(word);
  const reason = Object.entries(noPriceReasons).find(([name]) => name === word);
  if (reason !== undefined) return { word, kind: "reason for no price", exit: 0, ...reason[1] };
  if (!/^\d{1,3}$/u.test(word)) return undefined;
  const exit = exits.find((each) => String(each) === word);
  if (exit !== undefined) return ofExit(exit);
  const status = Number(word);
  return status >= 200 && status <= 599 ? ofStatus(status) : undefined;
}

/** Excludes statuses that are not in the specification. */
function explainedWords(): readonly string[] {
  const statuses = Object.values(serviceErrors).map(({ status }) => String(status));
  return [...errorCodes, ...Object.keys(noPriceReasons), ...new Set(statuses), ...exits.map(String)];
}

function ofCode(word: ErrorCode): Explanation {
  const { exit, retryable, meaning, next } = factsOf(word);
  if (!isServiceCode(word)) return { word, kind: "dexdata error code", exit, meaning, next, retryable };
  const { status, fields } = serviceErrors[word];
  const example = { error: word, message: "…", ...fields };
  return { word, kind: "service error code", meaning, status, exit, retryable, next, example };
}

function ofStatus(status: number): Explanation {
  const word = String(status);
  if (status < 300) {
    const meaning = "Success, including empty lists";
    return { word, kind: "HTTP status", meaning, status, exit: 0, next: "nothing" };
  }
  const { exit, retryable, code } = meaningOf(status);
  const codes = Object.entries(serviceErrors).flatMap(([name, each]) =>
    each.status === status ? [name] : [],
  );
  const { meaning, next } = codes.length === 0 ? unnamed(status) : serviceErrors[code];
  return {
    word,
    kind: "HTTP status",
    meaning: codes.length > 1 ? "It depends on the error code in the response" : meaning,
    status,
    exit,
    retryable,
    next: codes.length > 1 ? exitCodes[exit].next : next,
    ...(codes.length > 0 && { codes }),
  };
}

function unnamed(status: number): { readonly meaning: string; readonly next: string } {
  if (isGatewayStatus(status)) return serviceErrors.unavailable;
  if (status >= 500)
    return {
      meaning:
        "The service, or a proxy in front of it, failed. dexdata retries this status only with --retry-on",
      next: `try again later, or use --retry-on ${status}`,
    };
  if (status >= 400) return { meaning: "The service rejected the request", next: "fix the command" };
  return {
    meaning:
      "The host returned a redirect. dexdata does not follow redirects, because the key would be sent to another host",
    next: "check the base URL: dexdata config list",
  };
}

function ofExit(exit: ExitCode): Explanation {
  const { when: meaning, next } = exitCodes[exit];
  const codes = errorCodes.filter((code) => exitsOf(code).includes(exit));
  return { word: String(exit), kind: "exit code", meaning, exit, next, ...(codes.length > 0 && { codes }) };
}
