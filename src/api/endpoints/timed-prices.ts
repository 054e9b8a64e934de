import type { Tier } from "../tier.ts";
import { type Endpoint, onlyGroup, type RowShape } from "../endpoint.ts";
import { address, count, price, type RecordShape, text, time } from "../record.ts";
import { multiPrices } from "./multi-prices.ts";
import { poolOhlcv, tokenOhlcv } from "./ohlcv.ts";

export const atRules = ["before", "open"] as const;

export type AtRule = (typeof atRules)[number];

interface TimedTable {
  /** Adds the price in another token, for pools and `--in`. */
  readonly isQuoted: boolean;
  /** The rows have several times, so a narrow table shows them before the assets. */
  readonly hasTimes: boolean;
}

const known = <F extends { readonly nullable: boolean }>(field: F): F => ({ ...field, nullable: true });

const quoted: RecordShape = { price: known(price), quote_token: known(address) };

const shape = ({ isQuoted, hasTimes }: TimedTable): RowShape => ({
  name: "past-price",
  record: {
    chain: text,
    id: address,
    at: time,
    price_usd: known(price),
    ...(isQuoted && quoted),
    candle: known(time),
    interval: text,
    age: { ...known(count), reads: "duration" },
    volume_usd: { ...known(count), reads: "amount" },
    reason: { ...known(text), reads: "no-price-reason" },
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
