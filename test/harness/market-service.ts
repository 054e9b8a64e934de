import { type Reply, json, type SeenRequest, startScriptedServer } from "./scripted-server.ts";

export interface MarketRow {
  readonly id: string;
  readonly log_index: number;
  readonly pool_id: string;
  readonly chain: string;
  readonly created_at: string;
}

export interface MarketCandle {
  readonly time_open: string;
  readonly close: number;
}

export interface MarketPool {
  /** Oldest first. */
  readonly rows: readonly MarketRow[];
  readonly created: string;
}

/** What goes wrong with a response. Seconds; undefined means that nothing does. */
export interface Disturbance {
  /** The service has rows of this many seconds only, and says nothing about it. */
  readonly reach?: number;
  /** Moves the `Date` header; null leaves it out. */
  readonly date?: number | null;
  /** An empty list with a count of 0. */
  readonly isEmpty?: boolean;
  /** The rows and candles to return instead. */
  readonly rows?: (rows: readonly MarketRow[]) => readonly MarketRow[];
  readonly candles?: (candles: readonly MarketCandle[]) => readonly MarketCandle[];
  /** Replaces the response. */
  readonly reply?: Reply;
}

/** Each request looks at the times of all rows, which would take most of its time. */
const parsed = new Map<string, number>();

export function seconds(text: string): number {
  const known = parsed.get(text) ?? Date.parse(text) / 1000;
  parsed.set(text, known);
  return known;
}

export const utc = (at: number): string => new Date(at * 1000).toISOString().replace(".000Z", "Z");

/** `count` rows, spread over each day. */
export function rowsOfDays(pool: string, days: readonly string[], count: number): readonly MarketRow[] {
  return days.flatMap((day) =>
    Array.from({ length: count }, (_, index) =>
      rowAt(pool, seconds(`${day}T00:00:00Z`) + 600 + index * 1800),
    ),
  );
}

export function rowAt(pool: string, at: number): MarketRow {
  return {
    id: `0x${at.toString(16).padStart(64, "0")}`,
    log_index: 1,
    pool_id: pool,
    chain: "ethereum",
    created_at: utc(at),
    ...values(at),
  };
}

/** What the tests do not look at, but rows need. */
function values(at: number): object {
  const [token_0, token_1] = ["a", "b"].map((letter) => `0x${letter.repeat(40)}`);
  const prices = { price_0: 1, price_1: 1 };
  return { token_0, token_1, amount_0: at, amount_1: -at, ...prices, created_at_block_number: at };
}

/** A small service whose rows, clock and faults the test changes between and during runs. */
export async function startMarketService(now: () => number, pools: ReadonlyMap<string, MarketPool>) {
  let disturb: (request: SeenRequest) => Disturbance = () => ({});
  const replyTo = (request: SeenRequest): Reply => {
    const fault = disturb(request);
    if (fault.reply !== undefined) return fault.reply;
    const shift = fault.date === undefined ? 0 : fault.date;
    const headers: Record<string, string> =
      shift === null ? {} : { Date: new Date((now() + shift) * 1000).toUTCString() };
    const options = { headers };
    const [, , , kind, address = "", what] = request.path.split("/");
    if (kind === "tokens") return json({ id: address, symbol: "T", decimals: 6 }, options);
    const pool = pools.get(address);
    if (pool === undefined) return json({ message: "not found" }, { ...options, status: 404 });
    if (what === undefined)
      return json({ id: address, chain: "ethereum", created_at: pool.created }, options);
    return what === "ohlcv"
      ? json(candlesOf(pool, request, fault), options)
      : json(transactionsOf(pool, request, fault, now()), options);
  };
  const server = await startScriptedServer(replyTo);
  return {
    url: server.url,
    requests: server.requests,
    close: server.close,
    disturb: (fault: Disturbance | ((request: SeenRequest) => Disturbance)): void => {
      disturb = typeof fault === "function" ? fault : () => fault;
    },
  };
}

const bound = (request: SeenRequest, name: string, none: number): number => {
  const text = request.query.get(name);
  if (text === null) return none;
  return /^\d+$/u.test(text) ? Number(text) : seconds(text);
};

function transactionsOf({ rows }: MarketPool, request: SeenRequest, fault: Disturbance, now: number) {
  const limit = Number(request.query.get("limit") ?? "10");
  const page = Number(request.query.get("page") ?? "1");
  const from = Math.max(bound(request, "from", 0), fault.reach === undefined ? 0 : now - fault.reach);
  const to = Math.min(bound(request, "to", now), now);
  const own = rows.filter(({ created_at }) => seconds(created_at) >= from && seconds(created_at) <= to);
  const listed = fault.isEmpty === true ? [] : (fault.rows?.(own) ?? own).toReversed();
  const total = listed.length;
  return {
    transactions: listed.slice((page - 1) * limit, page * limit),
    page_info: { limit, page, total_items: total, total_pages: Math.ceil(total / limit) },
  };
}

/** A candle for each interval with a row. */
function candlesOf({ rows }: MarketPool, request: SeenRequest, fault: Disturbance): readonly MarketCandle[] {
  const length = { "1m": 60, "30m": 1800, "1h": 3600 }[request.query.get("interval") ?? ""] ?? 86_400;
  const [from, to] = [bound(request, "start", 0), bound(request, "end", Number.POSITIVE_INFINITY)];
  const openings = new Set(rows.map((row) => Math.floor(seconds(row.created_at) / length) * length));
  const candles = [...openings]
    .filter((at) => at >= from && at < to)
    .map((at) => ({
      time_open: utc(at),
      time_close: utc(at + length),
      open: 1,
      high: 2,
      low: 1,
      close: 1 + (at % 97) / 100,
      volume: 5,
    }));
  return fault.isEmpty === true ? [] : (fault.candles?.(candles) ?? candles);
}
