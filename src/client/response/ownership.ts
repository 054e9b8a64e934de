import { type Endpoint, onlyGroup, type Args } from "../../api/endpoint.ts";
import { type Param, type ParamKind, renamed } from "../../api/param.ts";
import { inputName } from "../../api/read-param.ts";
import { fail, type Failure } from "../../base/failure.ts";
import { isObject, member } from "../../base/json/json-scan.ts";
import { nearest } from "../../base/text/nearest.ts";
import { compareInstants, parseDate, parseRfc3339, parseTimeBound } from "../../base/time/time.ts";
import { comparableAddress } from "../subject.ts";

/** Returns the different values of a field in the rows of a response; rows without the field have none. */
type ValuesOf = (field: string) => readonly unknown[];

/** A response about another asset or network than requested, for example because a cache confused two requests. */
export interface Foreign {
  readonly problem: string;
  /**
   * Set if all rows and the echo name the same other network. The service may then know the requested network by that
   * name, so `--no-strict` accepts the rows.
   */
  readonly only: string | undefined;
}

/** A function that checks responses; undefined if neither the rows nor the echo can show what they are about. */
type OwnershipCheck = (values: ValuesOf, echo?: unknown) => Foreign | undefined;

interface Owner {
  readonly field: string;
  readonly param: Param;
  readonly sent: string;
}

/**
 * The row fields that name the asset or network are part of the contract (`owned` of a row shape). Responses of 2025
 * have no `chain`, and the echo may be missing, so only values that are present are compared. Candles name neither
 * their asset nor their network, so a foreign response with candles cannot be recognized.
 */
export function createOwnershipCheck({ params, rows }: Endpoint, args: Args): OwnershipCheck | undefined {
  const owners = Object.entries(rows[onlyGroup]?.owned ?? {}).flatMap(([field, name]): readonly Owner[] => {
    const param = params.find((each) => each.name === name);
    const sent = args.get(name);
    return param === undefined || sent === undefined || sent === "" ? [] : [{ field, param, sent }];
  });
  if (owners.length === 0) return undefined;
  return (values, echo) => {
    for (const owner of owners) {
      const named = [...new Set([...values(owner.field), ...networksIn(echo, owner)])].filter(isName);
      const others = named.filter((value) => !isOwn(owner, value));
      const [first] = others;
      if (first === undefined) continue;
      const what = `the service returned rows of ${first} instead of ${owner.sent}`;
      const isOnly = named.length === 1 && owner.param.kind.kind === "network";
      return { problem: what, only: isOnly ? first : undefined };
    }
    return undefined;
  };
}

/** Ends a pull after all retries have failed. None of the response's rows are returned. Only lists have --no-strict. */
export function foreignFailure({ problem, only }: Foreign, isRecord = false): Failure {
  const way = isRecord ? "name it as the network" : "use --no-strict";
  const next = only === undefined ? undefined : `if ${only} is what you want, ${way}`;
  return fail("untrusted_answer", problem, next === undefined ? {} : { next });
}

/** A search echoes the network of its path as `network`; the search for tokens may echo it as `chains`. */
function networksIn(echo: unknown, { param }: Owner): readonly unknown[] {
  if (!isObject(echo) || param.kind.kind !== "network") return [];
  const chains = member(echo, "chains");
  return [member(echo, "network"), ...(Array.isArray(chains) && chains.length === 1 ? chains : [])];
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isOwn({ param, sent }: Owner, value: string): boolean {
  if (param.kind.kind === "list") return sent.split(",").some((each) => each.trim() === value);
  if (param.kind.kind !== "address") return sent === value;
  return comparableAddress(sent) === comparableAddress(value);
}

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
