import { invalidResponse } from "../../base/failure.ts";
import { isObject, member } from "../../base/json/json-scan.ts";
import { compareInstants, type Instant, parseRfc3339 } from "../../base/time/time.ts";
import { addressKey } from "../../client/subject.ts";
import type { Dataset, DatasetKind } from "../dataset.ts";
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
  const time = member(value, "created_at");
  const at = typeof time === "string" ? parseRfc3339(time) : undefined;
  if (at === undefined) throw invalidResponse("invalid response: a row has no valid created_at");
  return {
    text,
    at,
    place: ["created_at_block_number", "transaction_index", "log_index"].map((field) => {
      const place = member(value, field);
      return typeof place === "number" ? place : 0;
    }),
    key: JSON.stringify([member(value, "id"), member(value, "log_index")]),
    tokens: ["token_0", "token_1"].flatMap((field) => {
      const token = member(value, field);
      return typeof token === "string" ? [token] : [];
    }),
    pool: textOf(member(value, "pool_id")),
    network: textOf(member(value, "chain")),
  };
}

const nowhere = { pool: undefined, network: undefined };

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** False if the row names another pool or network. */
export function isOfDataset({ network, address }: Dataset, row: Pick<LakeRow, "pool" | "network">): boolean {
  const isPool = row.pool === undefined || plainAddress(row.pool) === plainAddress(address);
  return isPool && (row.network === undefined || row.network.toLowerCase() === network.toLowerCase());
}

/** Some chains write the same address with and without leading zeros. */
const plainAddress = (address: string): string => addressKey(address).replace(/^0x0+(?=[\da-f])/u, "0x");

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
