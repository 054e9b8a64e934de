import { type Endpoint, onlyGroup, rowShape, type Args } from "../api/endpoint.ts";
import { intervals, poolOhlcv, tokenOhlcv } from "../api/endpoints/ohlcv.ts";
import { poolTransactions } from "../api/endpoints/pool-transactions.ts";
import { poolPeriods } from "../api/endpoints/searches.ts";
import { intervalSeconds } from "../client/candle-windows.ts";
import { wireOf } from "../base/time/time.ts";

export const datasetKinds = ["transactions", "ohlcv", "token-ohlcv", "pools"] as const;

export type DatasetKind = (typeof datasetKinds)[number];

export const partitions = ["month", "day"] as const;

export type Partition = (typeof partitions)[number];

export type CandleInterval = (typeof intervals)[number];

/** The rows of one pool or token that a directory keeps complete. */
export interface Dataset {
  readonly kind: DatasetKind;
  readonly network: string;
  readonly address: string;
  /** Undefined for transactions. */
  readonly interval: CandleInterval | undefined;
  /** How much a file has. Candles of an hour or more are always by month. */
  readonly by: Partition;
  /** The start in Unix seconds, at 00:00 UTC. */
  readonly from: number;
  /** When the pool or token was created, in Unix seconds, if the list says so. */
  readonly created?: number | undefined;
  /** For messages. */
  readonly label: string;
}

/**
 * The pools of a search or of a list, whose rows of each period are kept. Its `address` is its name. The service has only
 * the present, so `from` is the first period.
 */
export interface PoolList extends Dataset {
  /** In seconds. A day is a multiple of it. */
  readonly every: number;
  readonly source:
    | { readonly pools: readonly Pick<Dataset, "address" | "created">[] }
    /** `text` is as it was typed. Times such as `-7d` count back from `now`, in milliseconds. */
    | { readonly text: string; readonly limit: number; readonly argsAt: (now: number) => Args };
}

/** As a line or flags say it. Undefined: neither of them sets it. */
export type Listed<List extends Dataset = Dataset> = Omit<List, "from" | "by"> & {
  readonly from: number | undefined;
  readonly by: Partition | undefined;
};

/** The start of the period with this time, in Unix seconds. */
export const periodOf = ({ every }: Pick<PoolList, "every">, time: number): number =>
  Math.floor(time / every) * every;

export const isPoolList = (dataset: Dataset): dataset is PoolList => "every" in dataset;

interface KindFacts {
  readonly endpoint: Endpoint;
  readonly asset: "pool" | "token";
  readonly bounds: { readonly from: string; readonly to: string };
}

/** The list of the directory has the dataset that was rejected, and each later run would try it again. */
const inNewDirectory = "dexdata sync <new directory>";

/**
 * Some chains may give two events the same ID and log index, and a list must not lose one of them. The pull therefore
 * drops a row as a repeat only if its tokens, amounts and time are the same, too. The API requires these fields.
 */
const exactTransactions: Endpoint = {
  ...poolTransactions,
  withoutPlan: `${inNewDirectory} {network}:{pool_address} --kind ohlcv`,
  rows: {
    [onlyGroup]: {
      ...rowShape(poolTransactions),
      identity: ["id", "log_index", "token_0", "token_1", "amount_0", "amount_1", "created_at"],
    },
  },
};

const facts: Readonly<Record<DatasetKind, KindFacts>> = {
  transactions: { endpoint: exactTransactions, asset: "pool", bounds: { from: "from", to: "to" } },
  ohlcv: {
    endpoint: { ...poolOhlcv, ifOtherKind: "for candles of a token, use --kind token-ohlcv" },
    asset: "pool",
    bounds: { from: "start", to: "end" },
  },
  "token-ohlcv": {
    endpoint: {
      ...tokenOhlcv,
      ifOtherKind: "for candles of a pool, use --kind ohlcv",
      withoutPlan: `${inNewDirectory} {network}:<pool> --kind ohlcv`,
    },
    asset: "token",
    bounds: { from: "start", to: "end" },
  },
  pools: {
    endpoint: poolPeriods,
    asset: "pool",
    bounds: { from: "created_after", to: "created_before" },
  },
};

export function factsOfKind(kind: DatasetKind): KindFacts {
  return facts[kind];
}

/** The name of `address` in directories and footers: pool, token or list. */
export const keyOfKind = (kind: DatasetKind) => (kind === "pools" ? "list" : factsOfKind(kind).asset);

/** In seconds; undefined for transactions. */
export function candleLength({ interval }: Pick<Dataset, "interval">): number | undefined {
  return interval === undefined ? undefined : intervalSeconds(interval);
}

/** Such as `transactions of ethereum:0x88e6…`, for messages. */
export function nameOfDataset({ kind, interval, network, address }: Dataset): string {
  const what = interval === undefined ? kind : `${kind} (${interval})`;
  return `${what} of ${network}:${address}`;
}

/** A time range to read at once, in Unix seconds. `to` is undefined if it ends at the service's present time. */
export interface TimeRange<From = number> {
  readonly dataset: Dataset;
  readonly from: From;
  readonly to: number | undefined;
}

/** Candles need an end, so `present` is used if there is none. */
export function argsOf({ dataset, from, to }: TimeRange<number | undefined>, present: number): Args {
  const { bounds, asset } = factsOfKind(dataset.kind);
  const args = new Map(Object.entries({ network: dataset.network, [`${asset}_address`]: dataset.address }));
  if (dataset.interval !== undefined) args.set("interval", dataset.interval);
  if (from !== undefined) args.set(bounds.from, wireOf(from));
  const end = to ?? (dataset.interval === undefined ? undefined : present);
  if (end !== undefined) args.set(bounds.to, wireOf(end));
  return args;
}
