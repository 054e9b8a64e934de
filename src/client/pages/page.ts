import { onlyGroup } from "../../contract/endpoint.ts";
import type { Args } from "../../contract/args.ts";
import { type Failure, untrustedAnswer } from "../../contract/failure.ts";
import { rawElements } from "../../json/raw-json.ts";
import { isObject } from "../../json/own-member.ts";
import type { Subject } from "../batches.ts";
import type { Proof } from "./completeness.ts";
import type { Place } from "./place.ts";
import { type Rows, textRows } from "../rows/rows.ts";

/** Rows of one answer. */
export interface Page {
  /** Which kind of row, where an answer has several. */
  readonly group: string;
  readonly rows: Rows;
  /** In place of a row, an answer as it came, whatever JSON it is. */
  readonly isDocument?: boolean;
  /** Where the rows after these are found; undefined after the last page. */
  readonly next: Place | undefined;
  /** Where these rows themselves are found; undefined for the first page. */
  readonly at?: Place | undefined;
  /** Rows of the list after these, by the service's count; undefined where it gives none that can be used. */
  readonly left?: number | undefined;
  /** Of the last page: what proves that the list is complete. */
  readonly proof?: Proof;
  /** Rows were left off the end, because no more were wanted. */
  readonly isCut?: boolean;
  /** Asked for a second time on purpose, to find where the list goes on: nothing new in it is no bad sign. */
  readonly isAgain?: boolean;
  /** Why these rows may not be what was asked for, or not all of it, where they are given all the same. */
  readonly warning?: string | undefined;
  /** Rows that were left out because they had come before. */
  readonly repeats?: number;
  /** None of its rows was new. */
  readonly isBarren?: boolean;
  /** What was asked for and has no row, where the service leaves out what it does not know. */
  readonly missing?: readonly Subject[];
  /** A part of what was asked for, that the service refused; the rest goes on. */
  readonly refused?: { readonly args: Args; readonly failure: Failure };
}

interface PageDetails {
  readonly next?: Place | undefined;
  readonly group?: string;
  /** The fields that tell two rows apart. */
  readonly identity?: readonly string[];
}

/** Rows are an array of objects; anything else is an answer that cannot be trusted. */
export function createPage(
  arrayText: string | undefined,
  values: unknown,
  what: string,
  { next, group = onlyGroup, identity = [] }: PageDetails = {},
): Page {
  if (!Array.isArray(values) || arrayText === undefined)
    throw untrustedAnswer(`the answer has no list of ${what}`);
  const bad = values.findIndex(
    (value) => typeof value !== "object" || value === null || Array.isArray(value),
  );
  if (bad >= 0) throw untrustedAnswer(`row ${bad + 1} of the answer's ${what} is not an object`);
  const objects = values.filter(isObject);
  const rows = rawElements(arrayText).map((row, index) => ({ row, value: objects[index] ?? {} }));
  return { group, rows: textRows(rows, identity), next, ...(next === undefined && { proof: "end of list" }) };
}
