import { rowShape } from "../../contract/endpoint.ts";
import { untrustedAnswer } from "../../contract/failure.ts";
import type { Reply } from "../../contract/reply.ts";
import { member } from "../../json/raw-json.ts";
import { createAnswerReader } from "../answer/read-answer.ts";
import type { Rows } from "../rows/rows.ts";
import type { Asking, Place } from "./page.ts";

export type NumberedPages = Extract<Reply, { kind: "numbered-pages" }>;

/** One page as it was asked for and answered. What follows from it alone stands below. */
export interface NumberedAnswer {
  readonly at: Place;
  /** Rows that were asked for. */
  readonly pageSize: number;
  readonly rows: Rows;
  /** What `page_info` says of the list; NaN where it says nothing. `page`: the number that it says this page has. */
  readonly totals: {
    readonly page: number;
    readonly limit: number;
    readonly items: number;
    readonly pages: number;
  };
  /** The `next_cursor` of the cursor envelope, whatever it is. */
  readonly offered: unknown;
}

/** Asks for the page at a place: by its number or its cursor, in the window that the place is frozen to. */
export function createAskPage(
  { client, endpoint, args }: Asking,
  { rows: name }: NumberedPages,
): (at: Place, pageSize: number) => Promise<NumberedAnswer> {
  const read = createAnswerReader(name, rowShape(endpoint));
  return async (at, pageSize) => {
    const asked = new Map([...args, ["limit", String(pageSize)], [at.flag, at.value]]);
    if (at.to !== undefined) asked.set("to", at.to);
    const { envelope, rows } = read(await client.ask(endpoint, asked));
    const info = member(envelope, "page_info");
    const totals = {
      page: numberOf(member(info, "page")),
      limit: numberOf(member(info, "limit")),
      items: numberOf(member(info, "total_items")),
      pages: numberOf(member(info, "total_pages")),
    };
    return { at, pageSize, rows, totals, offered: member(info, "next_cursor") };
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}

/** Rows of the list before this numbered page. */
export function rowsBefore({ at, pageSize }: NumberedAnswer): number {
  return (Number(at.value) - 1) * pageSize;
}

/**
 * Rows of this numbered page by its own totals; undefined where these cannot be used: they are not whole numbers, do not
 * agree with each other, belong to another page size, or count fewer rows than the page has. The public service was seen
 * to send zeros.
 */
export function countedRows(answer: NumberedAnswer): number | undefined {
  const { pageSize, totals } = answer;
  const { items, pages, limit } = totals;
  if (!Number.isSafeInteger(items) || items < 0 || pages !== Math.ceil(items / pageSize)) return undefined;
  if (limit > 0 && limit !== pageSize) return undefined;
  const rows = Math.max(0, Math.min(pageSize, items - rowsBefore(answer)));
  return answer.rows.length > rows ? undefined : rows;
}

/** Whether the totals can be used, and the page has all of its rows. */
export function isCounted(answer: NumberedAnswer): boolean {
  return countedRows(answer) === answer.rows.length && answer.totals.items > 0;
}

/**
 * Whether the response has the number of another page. The public service has returned 0 for every page, and its
 * documentation counts from 0. The page before this one needs no check: its rows are repeats.
 */
export function isAnotherPage({ at, totals: { page } }: NumberedAnswer): boolean {
  const number = Number(at.value);
  return Number.isInteger(page) && page > 0 && page !== number && page !== number - 1;
}

/** Whether the service names no page after this one by cursor. */
export function isLastCursor({ offered }: NumberedAnswer): boolean {
  return offered === undefined || offered === null || offered === "";
}

/**
 * Whether the list ends here by the page itself. Totals are believed when they promise more, so that a page which merely
 * repeats (new rows have pushed the old ones on) or is shorter than asked (the service caps it) is not taken for the end;
 * they are not believed when they promise nothing.
 */
export function isEnd(answer: NumberedAnswer, isNew: boolean): boolean {
  const { at, pageSize, rows, totals } = answer;
  if (rows.length === 0) return true;
  if (at.flag === "cursor") return !isNew || isLastCursor(answer);
  if (totals.pages > Number(at.value)) return false;
  return !isNew || rows.length < Math.min(pageSize, cappedAt(answer));
}

/** The page size that the service says it used at most. */
export function cappedAt({ totals: { limit } }: NumberedAnswer): number {
  return limit > 0 ? limit : Number.POSITIVE_INFINITY;
}

/** The service's count of rows, as the place stores it. */
export function itemsOf({ totals: { items } }: NumberedAnswer): number | undefined {
  return Number.isSafeInteger(items) ? items : undefined;
}

/** The place after this one in the same window: the next number, or beyond the last number a cursor. */
export function placeAfter(
  { at: { flag, value, to }, offered }: NumberedAnswer,
  { handOverAfter = Number.POSITIVE_INFINITY }: NumberedPages,
  lastWholeId: string | undefined,
): Place {
  if (flag === "page" && Number(value) < handOverAfter) return { flag, value: String(Number(value) + 1), to };
  // Rows of one id may stand on both sides of the edge, so the walk goes on after the last id that is whole: the
  // rows that come again are dropped, and none is lost. Only where a page holds one id alone is the offer taken.
  const isAhead = lastWholeId !== undefined && !(flag === "cursor" && lastWholeId === value);
  const cursor = isAhead ? lastWholeId : offered;
  if (typeof cursor !== "string" || cursor === "" || (flag === "cursor" && cursor === value))
    throw untrustedAnswer("the history goes on, but the answers give no cursor that leads there");
  return { flag: "cursor", value: cursor, to };
}
