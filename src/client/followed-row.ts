import type { RowShape } from "../api/endpoint.ts";
import { invalidResponse } from "../base/failure.ts";
import { member } from "../base/json/json-scan.ts";
import { hashOfText } from "../base/text/text-hash.ts";
import { compareInstants, type Instant, parseRfc3339 } from "../base/time/time.ts";
import type { TextRow } from "./rows.ts";

/** A row of a list that is followed. */
export interface FollowedRow extends TextRow {
  /** The hash of the fields that identify the row. */
  readonly key: string;
  readonly at: Instant;
  /** The block, the index in the block, and the index in the transaction; each undefined if missing from the row. */
  readonly place: readonly (number | undefined)[];
}

const placeFields = ["created_at_block_number", "transaction_index", "log_index"] as const;
export const timeField = "created_at";

export function readFollowedRow({ identity }: RowShape, row: string, value: object): FollowedRow {
  const parts = identity.map((field): string | undefined => JSON.stringify(member(value, field)));
  const time = member(value, timeField);
  const at = typeof time === "string" ? parseRfc3339(time) : undefined;
  if (at === undefined) throw invalidResponse(`invalid response: a row has no valid ${timeField}`);
  return {
    row,
    value,
    // Every row is read more than once, so a row without an identity is identified by its text.
    key: hashOfText(parts.includes(undefined) ? row : parts.join()),
    at,
    place: placeFields.map((field) => {
      const place = member(value, field);
      return typeof place === "number" ? place : undefined;
    }),
  };
}

/** Compares by time, then by position on the blockchain if both rows have one. Returns 0 if the order is unknown. */
export function compareRows(a: FollowedRow, b: FollowedRow): number {
  const order = compareInstants(a.at, b.at);
  if (order !== 0) return order;
  for (const [index, place] of a.place.entries()) {
    const other = b.place[index];
    if (place === undefined || other === undefined) return 0;
    if (place !== other) return place - other;
  }
  return 0;
}

/** What another run needs to continue: it reads from `from`, in Unix seconds, and these rows are written. */
export interface FollowState {
  readonly from: number;
  readonly rows: readonly (readonly [key: string, seconds: number])[];
}

/** Where earlier runs ended. Except for `rows`, no row since `since` was written. */
export interface Earlier extends FollowState {
  readonly since: number;
}

/** Sorts from oldest to newest. If two rows are equal, the one from the first list comes first. */
export function mergeRows<Row extends FollowedRow>(first: readonly Row[], second: readonly Row[]): Row[] {
  const merged: Row[] = [];
  let at = 0;
  for (const row of second) {
    for (let next = first[at]; next !== undefined && compareRows(next, row) <= 0; next = first[at]) {
      merged.push(next);
      at += 1;
    }
    merged.push(row);
  }
  return [...merged, ...first.slice(at)];
}
