import { planBatches } from "../client/batches.ts";
import { candleWindow, slicesOf } from "../client/candles/candle-slices.ts";
import { keyOf } from "./pull-answers.ts";
import { costOf } from "../client/spending/meter.ts";
import type { Walk } from "../client/pages/page.ts";
import type { Args, Question } from "../contract/args.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { member } from "../json/raw-json.ts";
import type { Reply } from "../contract/reply.ts";

/** What a command line asks for, as far as its cost goes. */
export interface Wanted {
  readonly endpoint: Endpoint;
  readonly asked: readonly Args[];
  /** Rows in all; undefined for every row. */
  readonly limit: number | undefined;
  readonly walk: Walk;
}

/** Undefined: nobody knows before it is asked. Retries and look-ups after a refusal come on top. */
export interface Estimate {
  readonly requests: number | undefined;
  readonly credits: number | undefined;
  /** Where more than `credits` is possible. */
  readonly creditsAtMost?: number;
  readonly rows: number | undefined;
  readonly certainty: "exact" | "at most" | "about" | "unknown";
  /** What it rests on. */
  readonly basis: string;
}

type Counted = Omit<Estimate, "credits">;

/** The one question whose answer says how long a list is, where only the service knows; `networks` may be it. */
export function questionBefore(
  { endpoint, asked, limit, walk }: Wanted,
  networks: Endpoint,
): Question | undefined {
  const [args = new Map()] = asked;
  if (limit !== undefined || walk.once !== undefined) return undefined;
  if (endpoint.reply.kind === "numbered-pages")
    return { endpoint, args: new Map([...args, ["limit", "1"], ["page", "1"]]) };
  return isEveryPool(endpoint, args) ? { endpoint: networks, args: new Map() } : undefined;
}

/** `told`: what the service answered to `questionBefore`. */
export function estimate(wanted: Wanted, told: unknown): Estimate {
  const { endpoint, asked, walk } = wanted;
  const { reply } = endpoint;
  const count = asked.length;
  if (walk.once !== undefined) {
    const credits = asked.reduce((sum, args) => sum + costOf(endpoint, args), 0);
    return { ...exactly(count), credits, rows: undefined };
  }
  if (reply.kind === "batch") return ofBatches(wanted, reply);
  const counted = ((): Counted => {
    switch (reply.kind) {
      case "single":
        return { ...exactly(new Set(asked.map(keyOf)).size), rows: count };
      case "list":
      case "groups":
        return { ...exactly(count), rows: wanted.limit };
      case "candles":
        return ofCandles(wanted, reply.maxLimit);
      case "numbered-pages":
        return ofNumberedPages(wanted, reply, told);
      case "cursor-pages":
        return ofCursorPages(wanted, told);
    }
  })();
  return { ...counted, credits: counted.requests };
}

function exactly(requests: number): Pick<Counted, "requests" | "certainty" | "basis"> {
  const basis = requests === 1 ? "one request" : "one request for each that was asked for";
  return { requests, certainty: "exact", basis };
}

function ofBatches({ walk }: Wanted, reply: Extract<Reply, { kind: "batch" }>): Estimate {
  const batches = planBatches(walk.subjects ?? [], reply);
  const credits = batches.reduce((sum, { addresses }) => sum + addresses.length, 0);
  const basis = `one credit for each different address, up to ${reply.max} in a request`;
  return { requests: batches.length, credits, rows: walk.subjects?.length, certainty: "exact", basis };
}

/** So few candles are never taken for an answer that was cut off; see `askForCandles`. */
const surelyWhole = 9;
/** Requests, at most, that look for the newest candles before the window; see `countBack`. */
const looksBack = 12;

function ofCandles({ asked, walk }: Wanted, maxLimit: number): Counted {
  const slices = asked.flatMap((args) => [...slicesOf(candleWindow(args, walk.start?.value), maxLimit)]);
  const requests = slices.length;
  const rows = slices.reduce((sum, { opening }) => sum + opening, 0);
  const doubtful = slices.filter(({ touched }) => touched > surelyWhole).length;
  const isCountedBack = asked.some((args) => args.has("count_back"));
  if (doubtful === 0 && !isCountedBack) return { ...exactly(requests), rows };
  return {
    requests,
    creditsAtMost: requests + doubtful * (isCountedBack ? 2 : 1) + (isCountedBack ? looksBack : 0),
    rows,
    certainty: "about",
    basis: `a request holds ${maxLimit} candles; one that a quiet market fills only in part may be followed by another`,
  };
}

function ofNumberedPages(
  { limit, walk }: Wanted,
  { handOverAfter }: Extract<Reply, { kind: "numbered-pages" }>,
  told: unknown,
): Counted {
  const { pageSize, start } = walk;
  const total = limit ?? totalOf(told);
  if (total === undefined) return unknown;
  const before = limit === undefined && start?.flag === "page" ? (Number(start.value) - 1) * pageSize : 0;
  const rows = Math.max(0, total - before);
  // A list that ends with a full page is followed by an empty one, if only its end says so.
  const requests = limit === undefined ? Math.floor(rows / pageSize) + 1 : Math.ceil(rows / pageSize);
  const basis =
    limit === undefined
      ? `the service counts ${total} rows now; pages of ${pageSize}`
      : `--limit ${limit} in pages of ${pageSize}`;
  // What ends in time can be held still, at a few requests; see `walkNumberedPages`.
  if (handOverAfter === undefined || requests < 2) return { requests, rows, certainty: "at most", basis };
  return {
    requests,
    creditsAtMost: requests + 3 + Math.ceil(requests / 10),
    rows,
    certainty: "about",
    basis: `${basis}, a few again where the list moves meanwhile`,
  };
}

function ofCursorPages({ endpoint, asked: [args = new Map()], limit, walk }: Wanted, told: unknown): Counted {
  const { pageSize } = walk;
  if (limit !== undefined) {
    return {
      requests: Math.ceil(limit / pageSize),
      rows: limit,
      certainty: "at most",
      basis: `--limit ${limit} in pages of ${pageSize}`,
    };
  }
  const pools = isEveryPool(endpoint, args) ? poolsOf(args, told) : undefined;
  if (pools === undefined) return unknown;
  return {
    requests: Math.floor(pools / pageSize) + 1,
    rows: pools,
    certainty: "at most",
    basis: `the service counts ${pools} pools there now; pages of ${pageSize}`,
  };
}

const unknown: Counted = {
  requests: undefined,
  rows: undefined,
  certainty: "unknown",
  basis: "the service gives no totals for this list",
};

/** Parameters that leave no row out. */
const harmless: ReadonlySet<string> = new Set(["network", "chains", "order_by", "sort", "detailed"]);

function isEveryPool(endpoint: Endpoint, args: Args): boolean {
  return endpoint.isEveryPool === true && [...args.keys()].every((name) => harmless.has(name));
}

/** The counts of the networks asked for, added up; the service was seen to leave them out. */
function poolsOf(args: Args, told: unknown): number | undefined {
  const chosen = args.get("network") ?? args.get("chains");
  const rows: readonly unknown[] = Array.isArray(told) ? told : [];
  const counts = (chosen?.split(",") ?? rows.map((row) => member(row, "id"))).map((id) =>
    member(
      rows.find((row) => member(row, "id") === id),
      "pools_count",
    ),
  );
  let sum = 0;
  for (const count of counts) {
    if (typeof count !== "number") return undefined;
    sum += count;
  }
  return counts.length === 0 ? undefined : sum;
}

/** Zero beside rows is no total: the public service was seen to send it. */
function totalOf(told: unknown): number | undefined {
  const total = member(member(told, "page_info"), "total_items");
  if (typeof total !== "number") return undefined;
  const hasRows = Object.values(told ?? {}).some((value) => Array.isArray(value) && value.length > 0);
  return total === 0 && hasRows ? undefined : total;
}
