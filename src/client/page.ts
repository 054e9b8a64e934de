import { onlyGroup, type RowShape } from "../api/endpoint.ts";
import type { Args } from "../api/args.ts";
import { type Failure, invalidResponse } from "../base/failure.ts";
import { isObject, rawElements } from "../base/json/raw-json.ts";
import { ended, incompleteList, type PageEnd, type Position, problemsOf } from "./page-end.ts";
import type { SeenKeys } from "./seen-keys.ts";
import type { Subject } from "./subject.ts";
import { type Rows, type TextRow, textRows } from "./rows.ts";

/** A part of a list as one response returned it. */
export interface Page {
  /** The kind of rows, if a response contains several kinds. */
  readonly group: string;
  readonly rows: Rows;
  /** A document is one row: the unchanged response, which may be any JSON value. */
  readonly as: "rows" | "document";
  /**
   * What the page adds to the list. A page is `read again` on purpose, to find where the list continues; it may contain
   * no new rows.
   */
  readonly adds: "rows" | "nothing" | "read again";
  readonly end: PageEnd;
  /** Where the rows of this page begin; undefined for the first page. */
  readonly at: Position | undefined;
  /** Rows after this page, based on the service's total; undefined if the total cannot be used. */
  readonly left: number | undefined;
  readonly notes: readonly PageNote[];
  /** Cells in front of each row in CSV and TSV, from the input. */
  readonly lead: readonly (readonly string[])[] | undefined;
}

/** What to report or count, apart from the rows. */
export type PageNote =
  /** Why rows that are returned anyway may be wrong or missing. */
  | { readonly kind: "warning"; readonly text: string }
  /** Rows removed because earlier pages contained them. */
  | { readonly kind: "repeats"; readonly rows: number }
  /** Rows that were read for this page, most of which do not match and were removed. */
  | { readonly kind: "read"; readonly rows: number }
  /** The limit of rows to read was reached, although the list continues. */
  | { readonly kind: "cut off" }
  /** In Unix seconds. Candles before this time may be missing, because the plan does not include them. */
  | { readonly kind: "complete from"; readonly seconds: number }
  /** Inputs without a row, if the service omits inputs that it does not know. */
  | { readonly kind: "missing"; readonly subjects: readonly Subject[] }
  /** A part of the request that the service rejected. The rest of the pull continues. */
  | { readonly kind: "refused"; readonly args: Args; readonly failure: Failure }
  | { readonly kind: Remark; readonly count: number };

/**
 * Unusual but acceptable, and therefore counted; see page-end.ts. `short`: pages that a second response confirmed to be
 * shorter than requested, although another page follows. `twins`: rows with the identity of another row of the same
 * response, but other values; all of them are kept. `replaced`: candles that a later one for the same time replaced.
 */
export type Remark = "short" | "twins" | "replaced";

type Noted<K extends PageNote["kind"]> = Extract<PageNote, { readonly kind: K }>;

export function notesOf<K extends PageNote["kind"]>(
  { notes }: Pick<Page, "notes">,
  kind: K,
): readonly Noted<K>[] {
  return notes.filter((note): note is Noted<K> => note.kind === kind);
}

/** The inputs without a row. */
export function missingIn(page: Pick<Page, "notes">): readonly Subject[] {
  return notesOf(page, "missing").flatMap(({ subjects }) => subjects);
}

export function isCutOff(page: Pick<Page, "notes">): boolean {
  return notesOf(page, "cut off").length > 0;
}

/** The rows of the response, including those that were removed as repeats. */
export function rowsSentIn(page: Page): number {
  return notesOf(page, "repeats").reduce((sum, { rows }) => sum + rows, page.rows.length);
}

/** The total that the service gives with this page; undefined if it gives none. */
export function totalOf(page: Page): number | undefined {
  return page.left === undefined ? undefined : rowsSentIn(page) + page.left;
}

export function remark(kind: Remark, count: number): readonly PageNote[] {
  return count > 0 ? [{ kind, count }] : [];
}

export function warningOf(text: string | undefined): readonly PageNote[] {
  return text === undefined ? [] : [{ kind: "warning", text }];
}

/** Each row of a list is returned once. */
export interface Reading {
  readonly seen: SeenKeys;
  /** The identity and time of the last row before the start of this list, if known. */
  readonly after: object | undefined;
  /** The total number of rows wanted; no more are requested in advance. Undefined means all rows. */
  readonly wanted: number | undefined;
  /** The fields whose values the output reads from the bytes of a row. Locating them later would need a second scan. */
  readonly indexedFields: readonly string[];
}

export function everyRow(seen: SeenKeys): Reading {
  return { seen, after: undefined, wanted: undefined, indexedFields: [] };
}

/** Rejects everything except an array of objects. */
export function readRows(arrayText: string | undefined, values: unknown, what: string): readonly TextRow[] {
  if (!Array.isArray(values) || arrayText === undefined)
    throw invalidResponse(`invalid response: no list of ${what}`);
  const bad = values.findIndex((value) => !isObject(value));
  if (bad >= 0) throw invalidResponse(`invalid response: row ${bad + 1} of ${what} is not an object`);
  const objects = values.filter(isObject);
  return rawElements(arrayText).map((row, index) => ({ row, value: objects[index] ?? {} }));
}

export function createPage(
  arrayText: string | undefined,
  values: unknown,
  what: string,
  group: string = onlyGroup,
): Page {
  return { ...pageOf(textRows(readRows(arrayText, values, what)), ended("end of list")), group };
}

/** A first or only page. */
export function pageOf(rows: Rows, end: PageEnd, notes: readonly PageNote[] = []): Page {
  return {
    group: onlyGroup,
    rows,
    as: "rows",
    adds: "rows",
    end,
    at: undefined,
    left: undefined,
    notes,
    lead: undefined,
  };
}

export function timeFieldOf({ record }: RowShape): string | undefined {
  return Object.keys(record).find((field) => record[field]?.reads === "time");
}

/** Ends a pull with its last page. If there are doubts, it fails then, or the page has a warning if it need not be strict. */
export function* closing(page: Page, isStrict: boolean): Generator<Page> {
  const { doubts } = page.end;
  if (doubts.length === 0) return yield page;
  if (isStrict) {
    yield page;
    throw incompleteList(doubts);
  }
  const notes = [...page.notes, ...warningOf(`the list may be incomplete: ${problemsOf(doubts)}`)];
  yield { ...page, notes };
}
