import type { RowShape } from "../../contract/endpoint.ts";
import { member } from "../../json/own-member.ts";
import { timeFieldOf } from "../answer/read-answer.ts";
import { type Instant, parseRfc3339 } from "../../time/time.ts";

/** Knows where a walk through rows, newest first, has come to. */
export interface RowEdge {
  /** Takes the rows of the next page. `isAgain`: they begin before the edge. */
  readonly moveTo: (rows: readonly object[], isAgain: boolean) => void;
  /** Where among these rows the last one that was taken stands; -1 where it does not. */
  readonly find: (rows: readonly object[]) => number;
  /** The id furthest on, all of whose rows have been seen. */
  readonly lastWholeId: () => string | undefined;
  /** The instant of a row; undefined where it cannot be read. */
  readonly instantOf: (row: object | undefined) => Instant | undefined;
  readonly last: () => object | undefined;
  /** How many of the rows seen last share the instant of the last one. */
  readonly ties: () => number;
}

/** `start`: the last row of an earlier run, with what tells it from others and its time. */
export function createRowEdge(shape: RowShape, start: object | undefined): RowEdge {
  const { identity } = shape;
  const timeField = timeFieldOf(shape) ?? "";
  const idField = identity[0] ?? "";
  const isSame = (a: object, b: object): boolean =>
    identity.every((field) => member(a, field) === member(b, field));
  let last = start;
  let lastId: unknown;
  let whole: string | undefined;
  let ties = start === undefined ? 0 : 1;
  return {
    moveTo: (rows, isAgain) => {
      // The id at the edge is not followed by the first of these rows, so that says nothing of its being whole.
      if (isAgain) lastId = undefined;
      for (const row of rows) {
        const id = member(row, idField);
        if (id !== lastId && typeof lastId === "string") whole = lastId;
        lastId = id;
        ties = last !== undefined && member(row, timeField) === member(last, timeField) ? ties + 1 : 1;
        last = row;
      }
    },
    find: (rows) => {
      const edge = last;
      return edge === undefined ? -1 : rows.findIndex((row) => isSame(row, edge));
    },
    lastWholeId: () => whole,
    instantOf: (row) => {
      const time = member(row, timeField);
      return typeof time === "string" ? parseRfc3339(time) : undefined;
    },
    last: () => last,
    ties: () => ties,
  };
}
