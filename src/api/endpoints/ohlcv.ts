import { defineEndpoint, type Endpoint, onlyGroup, rowShape, type RowShape } from "../endpoint.ts";
import { internal, query, type Param } from "../param.ts";
import { address, count, each, mark, optional, price, text, time } from "../record.ts";
import { inNetwork, inversed, poolAddress, tokenAddress } from "./shared-parts.ts";

/** Specification, "Other endpoints". */
export const intervals = ["1m", "5m", "10m", "15m", "30m", "1h", "6h", "12h", "24h"] as const;

/** The intervals that dexdata makes, each from the largest interval of the service that divides it. */
export const madeIntervals: Readonly<Record<string, (typeof intervals)[number]>> = {
  "2h": "1h",
  "4h": "1h",
  "8h": "1h",
  "1w": "24h",
};
/** Other names of intervals. */
export const sameIntervals: Readonly<Record<string, (typeof intervals)[number]>> = { "1d": "24h" };

const also = {
  ...sameIntervals,
  ...Object.fromEntries(Object.keys(madeIntervals).map((name) => [name, name])),
};
/** In one response. */
export const maxCandles = 1000;

/** The service requires `start`. Without --from, dexdata computes it from --count-back or from the default window. */
const window: readonly Param[] = [
  query("interval", { kind: "choice", choices: intervals, also, refused: undefined }, "Candle length", {
    default: "1h",
  }),
  query("start", { kind: "time" }, "Get candles that open at or after this time", {
    default: "-24h",
    flag: "from",
    required: true,
  }),
  query("end", { kind: "time" }, "Get candles that open before this time", { flag: "to", default: "now" }),
  query("count_back", { kind: "integer", min: 1 }, "Get this many of the newest candles; replaces --from"),
  // Without this parameter, the public service returns only the first 10 candles after `start` (wire-facts 4.4).
  internal("limit", { kind: "integer", min: 1, max: maxCandles }, "Candles per response"),
];

const candle: RowShape = {
  name: "candle",
  record: {
    time_open: time,
    time_close: optional(time),
    ...each("open high low close", price),
    // The service omits this key if the volume rounds to 0.
    volume: optional({ ...count, reads: "amount" }),
  },
  identity: ["time_open"],
  columns: [
    { field: "time_open", title: "opens", priority: 1 },
    { field: "open", title: "open", priority: 6 },
    { field: "high", title: "high", priority: 4 },
    { field: "low", title: "low", priority: 5 },
    { field: "close", title: "close", priority: 2 },
    { field: "volume", title: "vol USD", priority: 7 },
  ],
  ofMany: {
    record: { chain: text, id: address },
    columns: [
      { field: "id", title: "asset", priority: 1.5, shows: "asset" },
      { field: "chain", title: "network", priority: 8 },
      { field: "id", title: "address", priority: 9 },
    ],
  },
  added: {
    record: { partial: optional(mark), filled: optional(mark) },
    columns: [{ field: ["filled", "partial"], title: "note", priority: 3 }],
    nulls: ["open", "high", "low", "close"],
  },
};

/** Wire-facts 4.5. Prices are in USD, across all of the token's pools. */
export const tokenOhlcv = defineEndpoint("token_ohlcv", {
  command: "ohlcv",
  ifOtherKind: "for candles of a pool, add --pool",
  path: "/networks/{network}/tokens/{token_address}/ohlcv",
  summary: "Get candles of a token in USD, or of a pool with --pool",
  examples: [
    "dexdata ohlcv ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --from -24h --interval 1h",
    "dexdata ohlcv ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --pool --count-back 48 -o ndjson",
  ],
  plan: "dev",
  withoutPlan: "dexdata ohlcv {network} <pool> --pool --chart",
  params: [inNetwork, tokenAddress, ...window],
  reply: { kind: "candles", maxLimit: maxCandles },
  row: candle,
});

/** Wire-facts 4.4. Prices are in units of the pool's other token. */
export const poolOhlcv = defineEndpoint("pool_ohlcv", {
  command: "ohlcv",
  chosenBy: "pool",
  ifOtherKind: "for candles of a token, leave out --pool",
  path: "/networks/{network}/pools/{pool_address}/ohlcv",
  chosenByHelp: "; prices are in one of its two tokens (see --inversed), not in USD",
  summary: "Get candles of a pool, priced in one of its tokens",
  examples: tokenOhlcv.examples,
  params: [inNetwork, poolAddress, ...window, inversed],
  reply: { kind: "candles", maxLimit: maxCandles },
  row: candle,
});

/** With the field of candles that dexdata makes from shorter ones. */
export function withMadeCandles(endpoint: Endpoint): Endpoint {
  const { added = { record: {}, columns: [], nulls: [] }, ...shape } = rowShape(endpoint);
  const record = { from_interval: optional(text), ...added.record };
  const columns = [...added.columns, { field: "from_interval", title: "from interval", priority: 8 }];
  return { ...endpoint, rows: { [onlyGroup]: { ...shape, added: { ...added, record, columns } } } };
}
