import type { RowShape } from "../../api/endpoint.ts";
import { member } from "../../base/json/raw-json.ts";
import { compareInstants, type Instant, parseRfc3339 } from "../../base/time/time.ts";
import type { Rows } from "../rows.ts";
import { timeFieldOf } from "../page.ts";

/** The current position in a list that is sorted from newest to oldest. */
export class RowEdge {
  /** The identity and time of the last row taken. */
  last: object | undefined;
  /** The last id whose rows were all taken. */
  lastWholeId: string | undefined;
  /** How many of the last rows taken have the same time. */
  ties: number;
  #lastId: unknown;
  readonly #identity: readonly string[];
  readonly #timeField: string;

  /** `start` is the last row of an earlier run. */
  constructor(shape: RowShape, start: object | undefined) {
    this.last = start;
    this.ties = start === undefined ? 0 : 1;
    this.#identity = shape.identity;
    this.#timeField = timeFieldOf(shape) ?? "";
  }

  /** `isReplayedPage` means that the rows begin before the edge. */
  moveTo(rows: Rows, isRetryOfPage: boolean): void {
    const [idField = ""] = this.#identity;
    // These rows do not begin after the edge, so their first id does not prove that the edge's id is complete.
    if (isRetryOfPage) this.#lastId = undefined;
    for (const row of rows.marks()) {
      const id = member(row, idField);
      if (id !== this.#lastId && typeof this.#lastId === "string") this.lastWholeId = this.#lastId;
      this.#lastId = id;
      const isTie =
        this.last !== undefined && member(row, this.#timeField) === member(this.last, this.#timeField);
      this.ties = isTie ? this.ties + 1 : 1;
      this.last = row;
    }
  }

  /** Returns -1 if the last row taken is not one of these rows. */
  find(rows: Rows): number {
    const { last } = this;
    if (last === undefined) return -1;
    const isLast = (row: object): boolean =>
      this.#identity.every((field) => member(row, field) === member(last, field));
    return rows.marks().findIndex(isLast);
  }

  /** Whether the first rows all have the ID of the last row taken. */
  isOneId(rows: Rows, count: number): boolean {
    const [idField = ""] = this.#identity;
    const id = member(this.last, idField);
    return rows
      .marks()
      .slice(0, count)
      .every((row) => member(row, idField) === id);
  }

  /** Whether the rows are sorted from newest to oldest. Rows without a valid time are ignored. */
  isSorted(rows: Rows): boolean {
    let before: unknown;
    for (const row of rows.marks()) {
      const time = member(row, this.#timeField);
      // Times of the same form have the order of their texts, so few of them are parsed.
      if (typeof time === "string" && typeof before === "string" && isNewer(time, before)) return false;
      before = time;
    }
    return true;
  }

  instantOf(row: object | undefined): Instant | undefined {
    const time = member(row, this.#timeField);
    return typeof time === "string" ? parseRfc3339(time) : undefined;
  }
}

function isNewer(time: string, before: string): boolean {
  const isUtc = time.length === before.length && time.endsWith("Z") && before.endsWith("Z");
  if (isUtc && time <= before) return false;
  const [later, earlier] = [parseRfc3339(time), parseRfc3339(before)];
  return later !== undefined && earlier !== undefined && compareInstants(later, earlier) > 0;
}
