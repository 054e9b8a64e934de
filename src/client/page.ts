import { onlyGroup, type RowShape, type Args } from "../api/endpoint.ts";
import { fail, type Failure, invalidResponse } from "../base/failure.ts";
import { isObject, rawElements } from "../base/json/json-scan.ts";
import type { SeenKeys } from "./seen-keys.ts";
import type { Subject } from "./subject.ts";
import { type Rows, type TextRow, textRows } from "./rows.ts";
import { counted } from "../base/text/words.ts";
import { formatInstant, type Instant } from "../base/time/time.ts";

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
  | { readonly kind: "warning"; readonly text: string }
  /** Why rows that are returned anyway may be wrong or missing, so that the list is not complete. */
  | { readonly kind: "doubtful"; readonly text: string }
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
  /** Inputs of a request that the service rejected. The rest of the pull continues. */
  | { readonly kind: "refused"; readonly args: Args; readonly failure: Failure; readonly inputs: number }
  | { readonly kind: Remark; readonly count: number };

/**
 * Unusual but acceptable, and therefore counted; see the table below. `short`: pages that a second response confirmed to be
 * shorter than requested, although another page follows. `twins`: rows with the identity of another row of the same
 * response, but other values; all of them are kept. `replaced`: candles that a later one for the same time replaced.
 */
type Remark = "short" | "twins" | "replaced";

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

export function doubtOf(text: string | undefined): readonly PageNote[] {
  return text === undefined ? [] : [{ kind: "doubtful", text }];
}

/** What a person should know about the rows of this page. */
export function warningsIn(page: Pick<Page, "notes">): readonly string[] {
  return [...notesOf(page, "warning"), ...notesOf(page, "doubtful")].map(({ text }) => text);
}

/** Each row of a list is returned once. */
export interface Reading {
  readonly seen: SeenKeys;
  /** The identity and time of the last row before the start of this list, if known. */
  readonly after: object | undefined;
  /** The total number of rows wanted. Undefined means all rows. */
  readonly wanted: number | undefined;
  /** Whether pages with wanted rows are requested in advance. */
  readonly readsAhead: boolean;
  /** The fields whose values the output reads from the bytes of a row. Locating them later would need a second scan. */
  readonly indexedFields: readonly string[];
}

export function everyRow(seen: SeenKeys): Reading {
  return { seen, after: undefined, wanted: undefined, readsAhead: true, indexedFields: [] };
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

export function createPage(...list: Parameters<typeof readRows>): Page {
  return pageOf(textRows(readRows(...list)), ended("end of list"));
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
  const notes = [...page.notes, ...doubtOf(`the list may be incomplete: ${problemsOf(doubts)}`)];
  yield { ...page, notes };
}

/** Where a pull starts or continues, as plain data that can be stored in a file. */
export interface Position {
  /** The flag that requests this position. For `subject`, the value is the number of inputs that are done. */
  readonly flag: "cursor" | "page" | "from" | "subject";
  readonly value: string;
  /** The time to which the pull was frozen, in the API's format. Missing if the request's own limit applies. */
  readonly to?: string | undefined;
  /** The service's total when the pull reached this position. A later total shows whether the list has shifted. */
  readonly items?: number | undefined;
  /** Rows still expected after this position, based on the total at the start. Missing once the list has shifted. */
  readonly due?: number | undefined;
  /** Rows may have shifted past the pull before this position, so no count can prove that the list is complete. */
  readonly isDoubted?: boolean | undefined;
  /** The token in whose list of pools this position is, if several lists could be continued. */
  readonly list?: string | undefined;
  /** The candle before this position, as sent by the service; used to fill gaps. */
  readonly before?: string | undefined;
}

/**
 * Judges pages: what proves that a list is complete, what contradicts it, and what cannot be proved.
 *
 * A response that contradicts the list is requested again with backoff, up to three times. The last attempt uses
 * another URL if the list has one, because a cache may keep a wrong response. If the contradiction remains, it becomes
 * a **doubt**: the pull keeps the rows, reads on where a next position exists, and fails at the end with exit code 8.
 * Positions behind a doubt are not confirmed, so a resumed pull begins before it. `--no-strict` accepts the list with a
 * warning. What may be the service's normal behavior is a **remark**: it is counted, and the list is complete.
 *
 * | list | proved complete by | contradicted by | cannot be proved |
 * |---|---|---|---|
 * | numbered pages (transactions up to page 100, DEXes) | the service's count: every page has its number (or none), all rows that its totals promise and no row of another page, and no counted row is left after the last page | a page with another number or size, too few or too many rows, rows of earlier pages, or one row twice | rows added to the part already read; a list without usable totals ends at a short, empty or repeated page |
 * | transactions by cursor (beyond page 100, from `--cursor`, or if pages have a cursor and no totals) | the count, if all rows left after the last counted page were returned | a short page although another follows, rows of earlier pages, a page that does not begin at the last ID before it, and a count that is not reached | everything, if no page had a count |
 * | searches | nothing; they end where the service ends them | a next page without a cursor, a repeated cursor, the page of another cursor than requested, an announced page that is empty, a page with earlier rows only | rows missing from a page that the service confirms to be short (a remark), a page that repeats some earlier rows (a remark), an early end |
 * | candles | nothing | candles outside the requested time range; a gap that is unlikely for this market is requested once more | an interval without trades has no candle |
 * | batches of prices | each input has a row or is reported as missing | rows that were not requested | whether a price is truly missing |
 * | single responses (networks, the global search, records) | the response is the entire list | another asset or network than requested | everything else |
 *
 * If the total of a numbered list changes, rows have shifted: the pull then locates its last row again (see
 * `frozen-windows.ts`). Rows pushed onto a later page are expected only if the total has grown by as many. DEXes cannot
 * be frozen in time, so a doubtful list of them is read a second time, and the union counts. An empty list never proves
 * its count. A response about another asset or network is never returned (see ownership.ts).
 *
 * Within one response, two rows are the same row only if their bytes are equal. Between responses, their identity
 * decides. `api --paginate` and the library read lists the same way. `txns --follow` compares each read with the count
 * separately.
 */
type Proof =
  /** All rows that the service counts were returned. */
  | { readonly by: "count"; readonly rows: number }
  /** The service reported the end of the list, but gave no count to compare with. */
  | { readonly by: "end of list" }
  /** Each input has a row, or is reported as missing. */
  | { readonly by: "inputs" };

/** A contradiction that remained after all retries. */
export interface Doubt {
  readonly problem: string;
  /** The number of rows that are missing because of it, if it is known. */
  readonly rows: number | undefined;
  /** The latest possible time of the missing rows; undefined if it is unknown. */
  readonly before?: Instant | undefined;
}

/**
 * How a list continues after a page. `doubts` are all doubts up to here. Without any, the position is confirmed, and a
 * checkpoint may store it, unless it is open: a later page can then show that an earlier one was wrong.
 */
export type PageEnd = { readonly doubts: readonly Doubt[] } & (
  | { readonly kind: "more"; readonly next: Position; readonly isOpen: boolean }
  | { readonly kind: "last"; readonly proof: Proof }
  /** No more rows were wanted: some were removed from the end of the page, or no cursor leads to the next page. */
  | { readonly kind: "cut" }
);

export function more(next: Position, doubts: readonly Doubt[] = [], isOpen = false): PageEnd {
  return { kind: "more", next, doubts: [...doubts], isOpen };
}

export function ended(by: "end of list" | "inputs", doubts: readonly Doubt[] = []): PageEnd {
  return { kind: "last", proof: { by }, doubts: [...doubts] };
}

/** The position of the next page; undefined if there is none, or if only part of the page was used. */
export function nextOf({ end }: Pick<Page, "end">): Position | undefined {
  return end.kind === "more" ? end.next : undefined;
}

/** Whether no page up to the end of this one is doubtful, or may still turn out to be. */
export function isConfirmed({ end }: Pick<Page, "end">): boolean {
  return end.doubts.length === 0 && !(end.kind === "more" && end.isOpen);
}

/** For a list that continues without new rows. Each of its pages costs a credit. */
export function endlessList(pages: number, doubts: readonly Doubt[]): Failure {
  const problem = `${pages} consecutive pages had no new rows, but the service promises another page`;
  return incompleteList([{ problem, rows: undefined }, ...doubts]);
}

/** For a position that the service itself has named, but does not accept. `rows` is the number of rows after it. */
export function rejectedPosition(
  doubts: readonly Doubt[],
  rows: number | undefined,
  before: Instant | undefined,
): Failure {
  const problem = "the service rejected a cursor that it had sent itself";
  return incompleteList([...doubts, { problem, rows, before }]);
}

function incompleteList(doubts: readonly Doubt[]): Failure {
  // The list is sorted, so later doubts concern older rows.
  const before = doubts[0]?.before;
  const to = before === undefined ? undefined : formatInstant(before);
  const isCounted = doubts.every(({ rows }) => rows !== undefined);
  // A limit ends a pull before the count that shows how many rows its pages by cursor lack.
  const rows = (isCounted && doubts.reduce((sum, doubt) => sum + (doubt.rows ?? 0), 0)) || undefined;
  const where = to === undefined ? "" : ` at or before ${to}`;
  const missing =
    rows === undefined
      ? `rows${where} may be missing`
      : `${counted(rows, "row")}${where} ${rows === 1 ? "is" : "are"} missing`;
  return fail("incomplete", `incomplete list: ${problemsOf(doubts)}; ${missing}`, {
    incomplete: { missing: { rows, to }, doubts: doubts.map(({ problem }) => problem) },
  });
}

function problemsOf(doubts: readonly Doubt[]): string {
  const [first, ...others] = doubts;
  const rest = others.length === 0 ? "" : ` (and ${counted(others.length, "more problem")})`;
  return `${first?.problem ?? ""}${rest}`;
}
