import { defineEndpoint, type Endpoint, onlyGroup, type RowShape } from "../endpoint.ts";
import { query } from "../param.ts";
import { address, count, optional, price, type Field, text, time } from "../record.ts";
import { inNetwork } from "./shared-parts.ts";
import type { Tier } from "../tier.ts";
import { poolOhlcv, tokenOhlcv } from "./ohlcv.ts";

/** Specification, endpoint 2. Each address costs 1 credit, even one without a price. The order is not guaranteed. */
export const multiPrices = defineEndpoint("multi_prices", {
  command: "prices",
  path: "/networks/{network}/multi/prices",
  summary: "Get USD prices of tokens",
  examples: [
    "dexdata prices ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
    "dexdata prices weth --at -7d --in usdc",
    "dexdata tokens search base --limit 50 -o ndjson | dexdata prices base - -o ndjson",
  ],
  params: [
    inNetwork,
    query("tokens", { kind: "list", max: 10, maxLength: 2000, of: "token" }, "Token addresses", {
      required: true,
      flag: undefined,
    }),
  ],
  reply: { kind: "batch", param: "tokens", max: 10, maxLength: 2000, value: "price_usd" },
  row: {
    name: "price",
    record: {
      id: address,
      chain: text,
      price_usd: { ...price, nullable: true },
      last_updated: optional(time),
    },
    identity: ["chain", "id"],
    columns: [
      { field: [], title: "label", priority: 3, shows: "label" },
      { field: "chain", title: "network", priority: 5 },
      { field: "price_usd", title: "price USD", priority: 2 },
      { field: "last_updated", title: "updated", priority: 4 },
      { field: "id", title: "token", priority: 1 },
    ],
  },
});

export const atRules = ["before", "open"] as const;

export type AtRule = (typeof atRules)[number];

interface TimedTable {
  /** Adds the price in another token, for pools and `--in`. */
  readonly isQuoted: boolean;
  /** The rows have several times, so a narrow table shows them before the assets. */
  readonly hasTimes: boolean;
}

/** Unlike `nullable`, the field is always there. */
const orNull = (field: Field): Field => ({ ...field, nullable: true });

const shape = ({ isQuoted, hasTimes }: TimedTable): RowShape => ({
  name: "past-price",
  record: {
    chain: text,
    id: address,
    at: time,
    price_usd: orNull(price),
    ...(isQuoted && { price: orNull(price), quote_token: orNull(address) }),
    candle: orNull(time),
    interval: text,
    age: { ...orNull(count), reads: "duration" },
    volume_usd: { ...orNull(count), reads: "amount" },
    reason: { ...orNull(text), reads: "no-price-reason" },
  },
  identity: ["chain", "id", "at"],
  columns: [
    { field: [], title: "label", priority: 5, shows: "label" },
    { field: "chain", title: "network", priority: 9 },
    { field: "at", title: "at", priority: hasTimes ? 1.1 : 2 },
    { field: "price_usd", title: "price USD", priority: 1 },
    ...(isQuoted ? [{ field: "price", title: "price", priority: 1.5 }] : []),
    ...(isQuoted ? [{ field: "quote_token", title: "in", priority: 10 }] : []),
    { field: "volume_usd", title: "vol USD", priority: 4 },
    { field: "candle", title: "candle", priority: 11 },
    { field: "interval", title: "interval", priority: 8 },
    { field: "age", title: "age", priority: 3.5 },
    { field: "reason", title: "reason", priority: 3 },
    { field: "id", title: "asset", priority: 6 },
  ],
});

/** Prices at times, which dexdata makes from candles. */
export function timedPrices(table: TimedTable, plan: Tier): Endpoint {
  return { ...multiPrices, id: "timed_prices", plan, params: [], rows: { [onlyGroup]: shape(table) } };
}

/** The candles behind the prices, with hints for this command. */
export const candlesOf = {
  token: {
    ...tokenOhlcv,
    command: "prices --at",
    withoutPlan: "dexdata prices {network} <pool> --pool --at <time>",
    ifOtherKind: "for the price in a pool, add --pool",
  },
  pool: { ...poolOhlcv, command: "prices --at --pool", ifOtherKind: "for a token, leave out --pool" },
} as const satisfies Record<string, Endpoint>;
