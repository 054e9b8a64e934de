import { batchParam, isNumbered, isPaged, traitsOf } from "../../../api/reply.ts";
import type { Endpoint } from "../../../api/endpoint.ts";
import { removedStream } from "../../../api/find-endpoint.ts";
import { type Param, renamed, renamedOrder } from "../../../api/param.ts";
import { attempt, Failure, usageFailure } from "../../../base/failure.ts";
import { hideSecrets } from "../../../base/key.ts";
import { defaultFeed, feeds, longestBackfill, streamIntervals } from "../../../api/feeds.ts";
import { readParam } from "../../../api/read-param.ts";
import { formatInstant, parseTimeBound } from "../../../base/time/time.ts";

export interface Migration {
  /** The words after `dexdata`, without quotes. */
  readonly words: readonly string[];
  /** The template of the removed path; undefined if the URL is still valid. */
  readonly removed: string | undefined;
  readonly replacement: string;
  /** Describe parameters that the command cannot express or expresses differently. */
  readonly notes: readonly string[];
}

export function migratedQuery(
  endpoint: Endpoint,
  query: readonly (readonly [name: string, value: string])[],
  now: number,
): Pick<Migration, "words" | "notes"> {
  const values = new Map<string, string>();
  const notes: string[] = [];
  for (const [old, value] of query) {
    const name = renamed(old);
    if (name !== old) notes.push(`${old} is now called ${name}`);
    if (!values.has(name)) values.set(name, value);
    else if (name === "tokens") values.set(name, `${values.get(name)},${value}`);
    else notes.push(`${name}=${value}: duplicate parameter; omitted`);
  }
  // The service's default is 24h, that of dexdata is 1h.
  if (traitsOf(endpoint.reply).isCandles && !values.has("interval")) values.set("interval", "24h");
  const words = [...values].flatMap(([name, value]) => {
    const carried = carry(endpoint, name, value, values, now);
    if (carried.note !== undefined) notes.push(carried.note);
    return carried.words;
  });
  return { words, notes };
}

interface Carried {
  readonly words: readonly string[];
  readonly note?: string;
}

function carry(
  { params, reply, words }: Endpoint,
  name: string,
  value: string,
  values: ReadonlyMap<string, string>,
  now: number,
): Carried {
  const leftOut = (why: string): Carried => ({ words: [], note: `${name}=${value}: ${why}; omitted` });
  if (name === "page" && isPaged(reply) && !isNumbered(reply)) return carryPage(value, values.get("limit"));
  const param = params.find((each) => each.name === name);
  if (param === undefined)
    return leftOut(
      name === "token_address"
        ? "requires a network, because the search across all networks ignores it"
        : "unknown parameter, which the service would silently ignore",
    );
  if (name === batchParam(reply)) return { words: parts(value, ",") };
  if (name === words) return { words: parts(value, " ") };
  if (traitsOf(reply).isCandles && name === "limit") return carryCandleLimit(value, values, now);
  if (value === "" || (name === "page" && (value === "0" || value === "1"))) return { words: [] };
  const isOldOrder = name === "order_by" && whyRefused(param, value, now) !== undefined;
  const current = isOldOrder ? renamedOrder(value) : value;
  const refused = whyRefused(param, current, now);
  if (refused !== undefined) return leftOut(refused);
  const flag = `--${param.flag ?? name}`;
  if (param.kind.kind === "toggle") return { words: ["true", "1"].includes(value) ? [flag] : [] };
  const note = `${name}=${value} is now called ${current}`;
  return { words: [flag, current], ...(current !== value && { note }) };
}

function parts(value: string, separator: string): readonly string[] {
  return value
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(asArgument);
}

/** Someone else's URL must not become a flag, such as one with another host, when its command is run. */
export function asArgument(word: string): string {
  if (!/^[-@]/u.test(word)) return word;
  const problem = `"${hideSecrets(word)}" would be a ${word.startsWith("-") ? "flag" : "file"} in a command`;
  throw usageFailure(problem, "correct the URL");
}

/** Omits the input, because the note already starts with it. */
function whyRefused(param: Param, value: string, now: number): string | undefined {
  const read = attempt(() => readParam(param, value, now));
  return read instanceof Failure ? (read.details.problem ?? read.message) : undefined;
}

/** A page number cannot be converted to a cursor, because only the previous page contains it. */
function carryPage(value: string, limit = "10"): Carried {
  const page = Number(value);
  if (!(page > 1))
    return { words: [], note: `page=${value}: the command starts at the first page by default; omitted` };
  const rows = page * Number(limit) || "N";
  return {
    words: [],
    note: `page=${value}: a page number cannot be converted to a cursor, so the command starts at the first row; use --limit ${rows} to fetch every row up to the end of that page, or pass each next_cursor to --cursor`,
  };
}

/** The old API counted candles from the start of the range. dexdata expects both ends, and --to defaults to now. */
function carryCandleLimit(value: string, values: ReadonlyMap<string, string>, now: number): Carried {
  const [, amount, unit] = /^(\d+)([mh])$/u.exec(values.get("interval") ?? "") ?? [];
  const start = parseTimeBound(values.get("start") ?? "", now);
  const seconds = Number(amount) * (unit === "h" ? 3600 : 60) * Number(value);
  if (values.has("end") || values.has("count_back") || "problem" in start || !(seconds > 0))
    return { words: [], note: `limit=${value}: dexdata fetches every candle in the time range; omitted` };
  const end = formatInstant({ seconds: start.seconds + Math.round(seconds), fraction: start.fraction });
  return {
    words: ["--to", end],
    note: `limit=${value}: converted to --to ${end}, which is this many intervals after the start`,
  };
}

/** Old parameters whose flags have the same name. Each function checks the old value; `now` is in milliseconds. */
const flags: Readonly<Record<string, (value: string, now: number) => boolean>> = {
  limit: (value) => /^[1-9]\d*$/u.test(value),
  interval: (value) => streamIntervals.some((each) => each === value),
  since: (value, now) => {
    const since = parseTimeBound(value, now);
    return !("problem" in since) && now / 1000 - since.seconds <= longestBackfill;
  },
};

/** The method in the streaming host's URL determines the feed. */
export function migratedStream(path: string, values: ReadonlyMap<string, string>, now: number): Migration {
  const typed = values.get("method");
  // `t_p` is an older method name for the price feed.
  const method = typed === "t_p" ? "token_price" : typed;
  const all = Object.values(feeds);
  const ofMethod = all.find(({ kinds }) => kinds.some((kind) => kind.method === method)) ?? defaultFeed;
  const feed = path === removedStream ? ofMethod : all.find((each) => each.path === path);
  if (feed === undefined) throw usageFailure(`unknown stream path "${path}"`, "see: dexdata help streams");
  const notes: string[] = [];
  const words = ["stream"];
  const [chain, address] = [values.get("chain"), values.get("address")];
  if (chain !== undefined && address !== undefined) words.push(asArgument(`${chain}:${address}`));
  else {
    words.push("@assets.txt");
    notes.push(
      "the assets of a POST request are in its body; write them to assets.txt, one network:address per line",
    );
  }
  if (feed !== defaultFeed) words.push("--feed", feed.name);
  const kind = feed.kinds.find((each) => each.method === method);
  if (kind !== undefined && kind !== feed.kinds[0]) words.push("--by", kind.by);
  for (const [name, value] of values) {
    if (["chain", "address", "method"].includes(name)) continue;
    const isTaken = name === "limit" || feed.params.some((param) => param === name);
    if (isTaken && flags[name]?.(value, now) === true) words.push(`--${name}`, value);
    else {
      const why = isTaken ? "the service would reject this value" : "not used by this command";
      notes.push(`${name}=${value}: ${why}; omitted`);
    }
  }
  const removed = path === removedStream ? removedStream : undefined;
  return { words, removed, replacement: feed.path, notes };
}
