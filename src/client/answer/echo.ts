import type { Args } from "../../model/args.ts";
import type { Endpoint } from "../../model/endpoint.ts";
import { untrustedAnswer } from "../../model/failure.ts";
import type { ParamKind } from "../../model/param.ts";
import { inputName } from "../../model/read-param.ts";
import { compareInstants, fromWire, parseTimeBound } from "../../model/time/time.ts";
import { isObject, member } from "../../model/json/own-member.ts";

/**
 * Searches echo the parameters they used in `query`, and drop a name they do not know without a word (specification,
 * Pagination styles 4). One of ours that is missing there, or has another value, was not applied: the rows would
 * look like an answer to a question that nobody asked. No echo at all says nothing.
 */
export function checkEcho(endpoint: Endpoint, args: Args, echo: unknown): void {
  if (!isObject(echo)) return;
  for (const param of endpoint.params) {
    const sent = args.get(param.name);
    if (sent === undefined || param.place !== "query" || uninteresting.has(param.name)) continue;
    const used = member(echo, param.name);
    if (used !== undefined && isSame(param.kind, sent, used)) continue;
    const how = used === undefined ? "" : `, but ${JSON.stringify(used)}`;
    throw untrustedAnswer(
      `the service did not apply ${inputName(param)} "${sent}"${how}: its rows are not what was asked for`,
      undefined,
      "take them all the same with --no-strict",
    );
  }
}

/** They choose no rows. */
const uninteresting: ReadonlySet<string> = new Set(["limit", "cursor", "detailed"]);

/** Values are compared, not their spelling: `250000` is 250000.0, a time is its instant, a list its members. */
function isSame(kind: ParamKind, sent: string, used: unknown): boolean {
  switch (kind.kind) {
    case "amount":
    case "integer":
      return Number(sent) === Number(used);
    case "time":
      return isSameInstant(sent, used);
    case "list":
      return wordsOf(sent) === wordsOf(Array.isArray(used) ? used.join(",") : String(used));
    case "text":
    case "address":
      return sent.toLowerCase() === String(used).toLowerCase();
    case "network":
    case "choice":
    case "toggle":
      return sent === String(used);
  }
}

function isSameInstant(sent: string, used: unknown): boolean {
  if (sent === String(used)) return true;
  const echoed = typeof used === "string" ? parseTimeBound(used, 0) : { seconds: Number(used), fraction: "" };
  return !("problem" in echoed) && compareInstants(fromWire(sent), echoed) === 0;
}

function wordsOf(list: string): string {
  return [...new Set(list.split(","))].toSorted((a, b) => (a < b ? -1 : 1)).join(",");
}
