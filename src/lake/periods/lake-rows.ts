import { invalidResponse } from "../../base/failure.ts";
import { isObject, member } from "../../base/json/json-scan.ts";
import { compareInstants, type Instant, parseRfc3339 } from "../../base/time/time.ts";
import { comparableAddress } from "../../client/subject.ts";
import { type Dataset, type DatasetKind, candleLength } from "../dataset.ts";
import { openingOf } from "../../client/candle-windows.ts";

export interface LakeRow {
  /** The JSON as the service sent it, or as a file has it. */
  readonly text: string;
  readonly at: Instant;
  /** The block, the index in the block, and the index in the transaction; empty for candles. */
  readonly place: readonly number[];
  /** Equal for two versions of one row. */
  readonly key: string;
  /** The addresses of a transaction's tokens. */
  readonly tokens: readonly string[];
  /** The pool and the network, as far as the row names them. Candles name neither. */
  readonly pool: string | undefined;
  readonly network: string | undefined;
}

export function readLakeRow(kind: DatasetKind, text: string): LakeRow {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw invalidResponse("invalid response: a row is not an object");
  if (kind !== "transactions") {
    const seconds = openingOf(value);
    return { text, at: { seconds, fraction: "" }, place: [], key: String(seconds), tokens: [], ...nowhere };
  }
  const at = parseRfc3339(textOf(member(value, "created_at")) ?? "");
  if (at === undefined) throw invalidResponse("invalid response: a row has no valid created_at");
  return {
    text,
    at,
    place: ["created_at_block_number", "transaction_index", "log_index"].map((field) => {
      const place = member(value, field);
      return typeof place === "number" ? place : 0;
    }),
    key: JSON.stringify([member(value, "id"), member(value, "log_index")]),
    tokens: ["token_0", "token_1"].flatMap((field) => textOf(member(value, field)) ?? []),
    pool: textOf(member(value, "pool_id")),
    network: textOf(member(value, "chain")),
  };
}

const nowhere = { pool: undefined, network: undefined };

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** False if the row names another pool or network. */
export function isOfDataset({ network, address }: Dataset, row: Pick<LakeRow, "pool" | "network">): boolean {
  const isPool = row.pool === undefined || comparableAddress(row.pool) === comparableAddress(address);
  return isPool && (row.network === undefined || row.network.toLowerCase() === network.toLowerCase());
}

/** Oldest first. Rows at the same place keep their order. */
export function sortRows(rows: readonly LakeRow[]): readonly LakeRow[] {
  return rows.toSorted((one, other) => {
    const order = compareInstants(one.at, other.at);
    if (order !== 0) return order;
    for (const [index, place] of one.place.entries()) {
      const difference = place - (other.place[index] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/** A part of a period that was read. `to` is undefined if it reaches the service's present time. */
export interface ReadPart {
  readonly from: number;
  readonly to: number | undefined;
  /** The service's time at the first response, in Unix seconds. */
  readonly present: number;
  /** Whether the list is complete, and has no row of another pool. Otherwise, earlier rows that it lacks are kept. */
  readonly isProven: boolean;
}

/** In seconds. Block producers may set times a few seconds ahead; rows that are further ahead wait for a later run. */
const tolerance = 60;

/**
 * Puts what was read in the place of what the file has there. `staged` is in the order of the list. Earlier rows before
 * `settled` do not disappear here: they are absent.
 */
export function mergeRows(
  dataset: Pick<Dataset, "kind" | "interval">,
  period: { readonly from: number; readonly to: number },
  before: readonly LakeRow[],
  staged: readonly LakeRow[],
  part: ReadPart,
  settled: number,
) {
  const length = candleLength(dataset) ?? 0;
  const end = Math.min(part.to ?? Number.POSITIVE_INFINITY, period.to);
  const latest = length === 0 ? part.present + tolerance : part.present;
  const isInPart = ({ at }: LakeRow): boolean => at.seconds >= part.from && at.seconds < end;
  const read = staged.filter((row) => isInPart(row) && row.at.seconds + length <= latest);
  // Transactions are listed from newest to oldest.
  const fresh = withoutCopies(dataset.kind === "transactions" ? read.toReversed() : read);
  const keys = new Set(fresh.map(({ key }) => key));
  const kept = before.filter((row) => (isInPart(row) ? !part.isProven && !keys.has(row.key) : true));
  const isMissing = (row: LakeRow): boolean => part.isProven && isInPart(row) && !keys.has(row.key);
  return {
    /** Oldest first, without the absent ones. */
    rows: sortRows([...kept, ...fresh]),
    /** Settled rows of the file in the part that was read, which the service did not return. */
    absent: before.filter((row) => isMissing(row) && row.at.seconds < settled),
    /** Earlier rows in the part that was read. */
    reread: before.filter(isInPart),
    /** New rows with the same ID and log index as another new row, but with other content. */
    twins: fresh.length - keys.size,
  };
}

/** A pull that was interrupted may have the rows of a page twice. */
function withoutCopies(rows: readonly LakeRow[]): readonly LakeRow[] {
  const seen = new Set<string>();
  return rows.filter(({ text }) => {
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
}
