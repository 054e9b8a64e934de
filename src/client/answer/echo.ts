import type { Args } from "../../contract/args.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { fail } from "../../contract/failure.ts";
import { renamed } from "../../contract/older-names.ts";
import type { Param, ParamKind } from "../../contract/param.ts";
import { inputName } from "../../contract/read-param.ts";
import { nearest } from "../../text/nearest.ts";
import { compareInstants, parseDate, parseRfc3339, parseTimeBound } from "../../time/time.ts";
import { isObject, member } from "../../json/own-member.ts";

/**
 * Searches echo the parameters they used in `query`, and drop a name they do not know without a word (specification,
 * Pagination styles 4). One of ours that is missing there, or has another value, was not applied: the rows would
 * look like an answer to a question that nobody asked. A response without an echo passes. Returns a warning instead of
 * throwing if the rows are accepted anyway.
 */
export function checkEcho(
  endpoint: Endpoint,
  args: Args,
  echo: unknown,
  isStrict: boolean,
): string | undefined {
  if (!isObject(echo)) return undefined;
  const ignored = endpoint.params.filter((param) => isIgnored(param, args.get(param.name), echo));
  const [first] = ignored;
  if (first === undefined) return undefined;
  const shown = (param: Param): string => `${inputName(param)} "${args.get(param.name)}"`;
  const near = nearestKnown(endpoint, args, first);
  const meant = near === undefined ? undefined : `did you mean ${near}?`;
  if (!isStrict) {
    const what = ignored.map(shown).join(", ");
    return [
      `the service ignored ${what}, so its rows do not match`,
      ...(meant === undefined ? [] : [meant]),
    ].join("; ");
  }
  const used = member(echo, first.name);
  const how = used === undefined ? "" : `, but ${JSON.stringify(used)}`;
  const message = `the service did not apply ${shown(first)}${how}: its rows are not what was asked for`;
  throw fail("untrusted_answer", message, { next: meant ?? "take them all the same with --no-strict" });
}

/** The parameter that was probably meant by a name that the contract does not have. */
function nearestKnown({ params }: Endpoint, args: Args, { name, help }: Param): string | undefined {
  // Only a parameter of the contract has a text for help.
  if (help !== "") return undefined;
  const known = params.flatMap((param) => (param.help === "" || args.has(param.name) ? [] : [param.name]));
  if (name === "page" && known.includes("cursor")) return "cursor";
  return nearest(renamed(name), known);
}

function isIgnored({ name, place, kind }: Param, sent: string | undefined, echo: object): boolean {
  // An empty value is as good as none.
  if (sent === undefined || sent === "" || place !== "query" || uninteresting.has(name)) return false;
  const used = member(echo, name);
  return used === undefined || used === null || !isSame(kind, sent, used);
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
  if ("problem" in echoed) return false;
  const wanted = /^\d+$/u.test(sent) ? { seconds: Number(sent), fraction: "" } : readInstant(sent);
  // A relative time, which only a raw call sends: the service counts it from its own clock.
  return wanted === undefined || compareInstants(wanted, echoed) === 0;
}

const readInstant = (text: string): ReturnType<typeof parseDate> => parseRfc3339(text) ?? parseDate(text);

function wordsOf(list: string): string {
  const words = list.split(",").map((word) => word.trim());
  return [...new Set(words)].toSorted((a, b) => (a < b ? -1 : 1)).join(",");
}
