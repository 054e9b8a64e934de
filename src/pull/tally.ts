import type { Proof } from "../client/pages/completeness.ts";
import type { Page, Place } from "../client/pages/page.ts";
import type { Question } from "../contract/args.ts";
import { type RowShape, rowShape } from "../contract/endpoint.ts";
import { rawMembers } from "../json/raw-json.ts";

/** A pull's total progress across all runs. */
export interface Tally {
  rows: number;
  /** The number of repeated rows dropped. */
  repeats: number;
  missing: number;
  refused: number;
  /** The index of the current query, the place where its list continues, and its number of rows so far. */
  question: number;
  at: Place | undefined;
  rowsOfQuestion: number;
  /** The identity and time of the first and last rows as JSON; computed only when needed. */
  first: (() => string) | undefined;
  last: (() => string) | undefined;
  /** The fixed end of the pull's time range, in the API's format. */
  to: string | undefined;
  /** The weakest proof among the finished responses. */
  proof: Proof | undefined;
}

export function newTally(): Tally {
  const counts = {
    rows: 0,
    repeats: 0,
    missing: 0,
    refused: 0,
    question: 0,
    at: undefined,
    rowsOfQuestion: 0,
  };
  // The fields are in the same order as in the type and the checkpoint.
  return { ...counts, first: undefined, last: undefined, to: undefined, proof: undefined };
}

/** Call this after the page's rows have been passed on. */
export function countPage(tally: Tally, { endpoint }: Question, page: Page): void {
  tally.rows += page.rows.length;
  tally.rowsOfQuestion += page.rows.length;
  tally.missing += page.missing?.length ?? 0;
  tally.repeats += page.repeats ?? 0;
  tally.at = page.isCut === true ? undefined : page.next;
  // The first end applies to the entire pull; later windows end earlier.
  tally.to ??= page.next?.to;
  // Only the last page can prove that the list is complete.
  if (page.next === undefined && tally.proof !== "end of list") tally.proof = page.proof ?? tally.proof;
  // A response that is printed as a single document has no rows.
  if (page.rows.length === 0 || page.isDocument === true) return;
  const shape = rowShape(endpoint, page.group);
  const markOf = (index: number): (() => string) => {
    const row = page.rows.text(index);
    return () => mark(row, shape);
  };
  tally.first ??= markOf(0);
  tally.last = markOf(page.rows.length - 1);
}

export function countEnd(tally: Tally, index: number): void {
  tally.question = index + 1;
  tally.at = undefined;
  tally.rowsOfQuestion = 0;
}

/** Keeps the original digits; returns the entire row if it has neither an identity nor a time. */
function mark(row: string, { identity, record }: RowShape): string {
  const times = Object.keys(record).filter((field) => record[field]?.reads === "time");
  const members = rawMembers(row);
  const kept = [...new Set([...identity, ...times])].flatMap((field) => {
    const value = members.get(field);
    return value === undefined ? [] : [`${JSON.stringify(field)}:${value}`];
  });
  return kept.length === 0 ? row : `{${kept.join(",")}}`;
}
