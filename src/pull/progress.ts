import type { Proof } from "../client/pages/completeness.ts";
import type { Page } from "../client/pages/page.ts";
import type { Place } from "../client/pages/place.ts";
import type { Question } from "../contract/args.ts";
import { type RowShape, rowShape } from "../contract/endpoint.ts";
import { rawMembers } from "../json/raw-json.ts";

/** What a pull has brought so far, all its runs together. */
export interface Tally {
  rows: number;
  /** Rows dropped because they came again. */
  repeats: number;
  /** Asked for, and left out by the service. */
  missing: number;
  /** Inputs that were refused. */
  refused: number;
  /** The question being answered, from 0; where its answer goes on, and how many rows of it there are. */
  question: number;
  at: Place | undefined;
  rowsOfQuestion: number;
  /** What tells the first and the last row apart from others, as JSON; worked out for those who ask. */
  first: (() => string) | undefined;
  last: (() => string) | undefined;
  /** The upper bound in time the pull was frozen to, as on the wire. */
  to: string | undefined;
  /** What proves that the answers which have ended are complete: the weakest proof among them. */
  proof: Proof | undefined;
}

export function newTally(): Tally {
  return {
    rows: 0,
    repeats: 0,
    missing: 0,
    refused: 0,
    question: 0,
    at: undefined,
    rowsOfQuestion: 0,
    first: undefined,
    last: undefined,
    to: undefined,
    proof: undefined,
  };
}

/** A page whose rows have been handed on. */
export function countPage(tally: Tally, { endpoint }: Question, page: Page): void {
  tally.rows += page.rows.length;
  tally.rowsOfQuestion += page.rows.length;
  tally.missing += page.missing?.length ?? 0;
  tally.repeats += page.repeats ?? 0;
  tally.at = page.isCut === true ? undefined : page.next;
  // The first bound is the one of the whole pull: later windows end where the one before them did.
  tally.to ??= page.next?.to;
  // Only the last page can prove that the list is complete.
  if (page.next === undefined && tally.proof !== "end of list") tally.proof = page.proof ?? tally.proof;
  // An answer that is shown whole, whatever JSON it is, has no rows to tell apart.
  if (page.rows.length === 0 || page.isDocument === true) return;
  const shape = rowShape(endpoint, page.group);
  tally.first ??= markOf(page.rows.text(0), shape);
  tally.last = markOf(page.rows.text(page.rows.length - 1), shape);
}

/** The question has been answered whole. */
export function countEnd(tally: Tally, index: number): void {
  tally.question = index + 1;
  tally.at = undefined;
  tally.rowsOfQuestion = 0;
}

function markOf(row: string, shape: RowShape): () => string {
  return () => mark(row, shape);
}

/** Identity and time of a row, in the service's own digits; the whole row where nothing tells it apart. */
function mark(row: string, { identity, record }: RowShape): string {
  const times = Object.keys(record).filter((field) => record[field]?.reads === "time");
  const members = rawMembers(row);
  const kept = [...new Set([...identity, ...times])].flatMap((field) => {
    const value = members.get(field);
    return value === undefined ? [] : [`${JSON.stringify(field)}:${value}`];
  });
  return kept.length === 0 ? row : `{${kept.join(",")}}`;
}
