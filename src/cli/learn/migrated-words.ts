import type { Endpoint } from "../../contract/endpoint.ts";
import { Failure } from "../../contract/failure.ts";
import type { Param } from "../../contract/param.ts";
import { readParam } from "../../contract/read-param.ts";
import { formatInstant, parseTimeBound } from "../../time/time.ts";
import { renamed, renamedOrder } from "../../contract/older-names.ts";

type Pair = readonly [name: string, value: string];

interface Carried {
  readonly words: readonly string[];
  readonly note?: string;
}

/** The words that say what the parameters of a URL said to the endpoint of today, and what they cannot say. */
export function migratedWords(
  endpoint: Endpoint,
  query: readonly Pair[],
  now: number,
): { readonly words: readonly string[]; readonly notes: readonly string[] } {
  const values = new Map<string, string>();
  const notes: string[] = [];
  for (const [old, value] of query) {
    const name = renamed(old);
    if (name !== old) notes.push(`${old} is called ${name} now`);
    if (!values.has(name)) values.set(name, value);
    else if (name === "tokens") values.set(name, `${values.get(name)},${value}`);
    else notes.push(`${name}=${value}: was given before; left out`);
  }
  const words: string[] = [];
  for (const [name, value] of values) {
    const carried = carry(endpoint, name, value, values, now);
    words.push(...carried.words);
    if (carried.note !== undefined) notes.push(carried.note);
  }
  return { words, notes };
}

function carry(
  endpoint: Endpoint,
  name: string,
  value: string,
  values: ReadonlyMap<string, string>,
  now: number,
): Carried {
  const { reply } = endpoint;
  const leftOut = (why: string): Carried => ({ words: [], note: `${name}=${value}: ${why}; left out` });
  if (name === "page" && reply.kind === "cursor-pages") return carryPage(value, values.get("limit"));
  const param = endpoint.params.find((each) => each.name === name);
  if (param === undefined) {
    return name === "token_address"
      ? leftOut("needs a network, because the search across networks ignores it")
      : leftOut("the service has no such parameter there, and would drop it without a word");
  }
  if (reply.kind === "batch" && name === reply.param)
    return {
      words: value
        .split(",")
        .map((address) => address.trim())
        .filter((address) => address !== ""),
    };
  if (endpoint.id === "search" && name === "query")
    return { words: value.split(" ").filter((word) => word !== "") };
  if (reply.kind === "candles" && name === "limit") return carryCandleLimit(value, values, now);
  if (value === "" || (name === "page" && (value === "0" || value === "1"))) return { words: [] };
  const renamedValue = name === "order_by" && !isAccepted(param, value, now) ? renamedOrder(value) : value;
  const refused = whyRefused(param, renamedValue, now);
  if (refused !== undefined) return leftOut(refused);
  const note = renamedValue === value ? undefined : `${name}=${value} is called ${renamedValue} now`;
  const flag = `--${param.flag ?? name}`;
  if (param.kind.kind === "toggle") return { words: ["true", "1"].includes(value) ? [flag] : [] };
  return { words: [flag, renamedValue], ...(note !== undefined && { note }) };
}

function isAccepted(param: Param, value: string, now: number): boolean {
  return whyRefused(param, value, now) === undefined;
}

/** In the words of the refusal, without what was typed, which the note begins with. */
function whyRefused(param: Param, value: string, now: number): string | undefined {
  try {
    readParam(param, value, now);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    return cause.message.replace(/^\S+ "[^"]*": /u, "");
  }
}

/** The same rows cannot be asked for by their number: a walk over pages leads there. */
function carryPage(value: string, limit = "10"): Carried {
  const page = Number(value);
  if (!(page > 1)) return { words: [], note: `page=${value}: is where the command begins anyway` };
  return {
    words: [],
    note: `page=${value}: a page number has no cursor; the command begins at the first row, --limit ${page * Number(limit) || "N"} takes all up to the end of that page, and each next_cursor goes into --cursor`,
  };
}

/** So many candles from the start on; dexdata asks by both ends of the window, and would go on until now. */
function carryCandleLimit(value: string, values: ReadonlyMap<string, string>, now: number): Carried {
  const [, amount, unit] = /^(\d+)([mh])$/u.exec(values.get("interval") ?? "24h") ?? [];
  const start = parseTimeBound(values.get("start") ?? "", now);
  const seconds = Number(amount) * (unit === "h" ? 3600 : 60) * Number(value);
  if (values.has("end") || values.has("count_back") || "problem" in start || !(seconds > 0))
    return { words: [], note: `limit=${value}: dexdata takes every candle of the window; left out` };
  const end = formatInstant({ seconds: start.seconds + Math.round(seconds), fraction: start.fraction });
  return { words: ["--to", end], note: `limit=${value}: so many candles end at ${end}` };
}
