import type { Args } from "../../api/args.ts";
import type { Endpoint } from "../../api/endpoint.ts";
import { fail } from "../../base/failure.ts";
import { renamed } from "../../api/endpoints/removed-endpoints.ts";
import { inputName } from "../../api/read-param.ts";
import type { Param, ParamKind } from "../../api/param.ts";
import { nearest } from "../../base/text/nearest.ts";
import { compareInstants, parseDate, parseRfc3339, parseTimeBound } from "../../base/time/time.ts";
import { isObject, member } from "../../base/json/json-scan.ts";

/**
 * Checks the parameters that a search response echoes in `query`. The service silently drops unknown names
 * (specification, Pagination styles 4). If a parameter is missing from the echo or differs, the rows do not match the
 * request. A response without an echo is accepted. If mismatched rows are accepted, a warning is returned.
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
    const warning = `the service ignored ${what}, so its rows do not match`;
    return meant === undefined ? warning : `${warning}; ${meant}`;
  }
  const used = member(echo, first.name);
  const problem =
    used === undefined || used === null
      ? `ignored ${shown(first)}`
      : `applied ${JSON.stringify(used)} instead of ${shown(first)}`;
  const message = `the service ${problem}, so its rows do not match`;
  throw fail("untrusted_answer", message, { next: meant ?? "to accept them anyway, use --no-strict" });
}

function nearestKnown({ params }: Endpoint, args: Args, { name, help }: Param): string | undefined {
  // Only the contract's parameters have help text.
  if (help !== "") return undefined;
  const known = params.flatMap((param) => (param.help === "" || args.has(param.name) ? [] : [param.name]));
  if (name === "page" && known.includes("cursor")) return "cursor";
  return nearest(renamed(name), known);
}

function isIgnored({ name, place, kind }: Param, sent: string | undefined, echo: object): boolean {
  // An empty value is equivalent to a missing parameter.
  if (sent === undefined || sent === "" || place !== "query" || notFilters.has(name)) return false;
  const used = member(echo, name);
  return used === undefined || used === null || !isSame(kind, sent, used);
}

const notFilters: ReadonlySet<string> = new Set(["limit", "cursor", "detailed"]);

/** Ignores spelling: `250000` equals `250000.0`, times are compared as times, and lists element by element. */
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
  const isUnix = /^\d+$/u.test(sent);
  const wanted = isUnix ? { seconds: Number(sent), fraction: "" } : (parseRfc3339(sent) ?? parseDate(sent));
  // `wanted` is undefined for a relative time, which depends on the service's clock; only raw API calls send one.
  return wanted === undefined || compareInstants(wanted, echoed) === 0;
}

function wordsOf(list: string): string {
  const words = list.split(",").map((word) => word.trim());
  return [...new Set(words)].toSorted((a, b) => (a < b ? -1 : 1)).join(",");
}
