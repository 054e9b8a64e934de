import type { RowShape } from "../../contract/endpoint.ts";
import { member } from "../../json/raw-json.ts";
import { type Instant, parseRfc3339 } from "../../time/time.ts";
import { timeFieldOf } from "../answer/read-answer.ts";
import type { Rows } from "../rows/rows.ts";

/** Knows where a walk through rows, newest first, has come to. */
export class RowEdge {
  /** The last row that was taken: what tells it from others, and its time. */
  last: object | undefined;
  /** The id furthest on, all of whose rows have been seen. */
  lastWholeId: string | undefined;
  /** How many of the rows seen last share the instant of the last one. */
  ties: number;
  #lastId: unknown;
  readonly #identity: readonly string[];
  readonly #timeField: string;

  /** `start`: the last row of an earlier run. */
  constructor(shape: RowShape, start: object | undefined) {
    this.last = start;
    this.ties = start === undefined ? 0 : 1;
    this.#identity = shape.identity;
    this.#timeField = timeFieldOf(shape) ?? "";
  }

  /** Takes the rows of the next page. `isAgain`: they begin before the edge. */
  moveTo(rows: Rows, isAgain: boolean): void {
    const [idField = ""] = this.#identity;
    // The id at the edge is not followed by the first of these rows, so that says nothing of its being whole.
    if (isAgain) this.#lastId = undefined;
    for (const row of rows.marks()) {
      const id = member(row, idField);
      if (id !== this.#lastId && typeof this.#lastId === "string") this.lastWholeId = this.#lastId;
      this.#lastId = id;
      const isTie = this.last !== undefined && this.#timeOf(row) === this.#timeOf(this.last);
      this.ties = isTie ? this.ties + 1 : 1;
      this.last = row;
    }
  }

  /** Where among these rows the last one that was taken stands; -1 where it does not. */
  find(rows: Rows): number {
    const { last } = this;
    if (last === undefined) return -1;
    const isLast = (row: object): boolean =>
      this.#identity.every((field) => member(row, field) === member(last, field));
    return rows.marks().findIndex(isLast);
  }

  /** The instant of a row; undefined where it cannot be read. */
  instantOf(row: object | undefined): Instant | undefined {
    const time = this.#timeOf(row);
    return typeof time === "string" ? parseRfc3339(time) : undefined;
  }

  #timeOf(row: object | undefined): unknown {
    return member(row, this.#timeField);
  }
}
