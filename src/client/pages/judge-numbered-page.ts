import { counted } from "../../base/text/words.ts";
import { member } from "../../base/json/json-scan.ts";
import type { Position } from "../page.ts";
import {
  areUsable,
  cappedAt,
  countedRows,
  isCounted,
  isLastCursor,
  type ListCount,
  type NumberedAnswer,
  type NumberedPages,
} from "./numbered-answer.ts";
import type { InspectedRows, RowEdge } from "./page-rows.ts";

/** Anomalies that may be the service's normal behavior. Once a page has kept one, later pages are not checked for it. */
export type Habit = "numbers" | "lengths" | "sizes" | "order" | "edges" | "empty";

/** Why a response cannot be the next page. Without a habit, it becomes a doubt if it remains. */
interface Contradiction {
  readonly problem: string;
  readonly habit?: Habit;
}

/** What a pull knows about a numbered list when it judges the next response. */
export interface NumberedState {
  readonly reply: NumberedPages;
  readonly edge: RowEdge;
  readonly count: ListCount;
  /** The page taken before. */
  readonly last: NumberedAnswer | undefined;
  /** Compares the rows with those taken so far. */
  readonly inspectRowsOf: (answer: NumberedAnswer) => InspectedRows;
  /** Whether an earlier run has already read this page. */
  readonly isReadAgain: (at: Position) => boolean;
}

/** Judges a response by its own and earlier totals, and by the rows taken so far; see page.ts. */
export function contradictionIn(
  answer: NumberedAnswer,
  state: NumberedState,
  habits: ReadonlySet<Habit>,
): Contradiction | undefined {
  const checks = answer.at.flag === "cursor" ? cursorChecks : numberChecks;
  for (const check of checks) {
    const found = check(answer, state);
    if (found !== undefined && (found.habit === undefined || !habits.has(found.habit))) return found;
  }
  return undefined;
}

type Check = (answer: NumberedAnswer, state: NumberedState) => Contradiction | undefined;

/**
 * A service may number its pages in another way, but a page of earlier rows is really another one. The public service has
 * returned 0 for every page, and its documentation counts pages from 0. The previous number is therefore accepted: if
 * that page was really returned, its rows are recognized as repeats.
 */
const anotherNumber: Check = (answer, state) => {
  const { at, totals, rows } = answer;
  const number = Number(at.value);
  const isOther = Number.isInteger(totals.page) && totals.page > 0;
  if (!isOther || totals.page === number || totals.page === number - 1) return undefined;
  const problem = `the service returned page ${totals.page} instead of page ${at.value}`;
  const hasNew = rows.length === 0 || (!isNumbered(state.last) && state.inspectRowsOf(answer).fresh > 0);
  // After the last page, a service may repeat it.
  const isLast = state.edge.find(rows) >= 0;
  return hasNew || isLast || state.isReadAgain(at) ? { habit: "numbers", problem } : { problem };
};

/** Whether the page has its own number. If all pages have the number 1, the first one shows nothing. */
function isNumbered(page: NumberedAnswer | undefined): boolean {
  return page !== undefined && page.totals.page > 1 && page.totals.page === Number(page.at.value);
}

const tooManyRows: Check = (answer) => {
  const { at, pageSize, rows, totals } = answer;
  if (!areUsable(answer) || totals.items === 0 || rows.length <= pageSize) return undefined;
  const problem = `page ${at.value} has ${rows.length} rows, although ${pageSize} were requested`;
  return { habit: "sizes", problem };
};

/**
 * A service may have another page size than requested, but then all pages must have it. Otherwise, their numbers skip
 * rows or repeat some.
 */
const anotherSize: Check = ({ at, pageSize, rows, totals: { limit, items } }, { last }) => {
  if (!(limit > 0 && items > 0)) return undefined;
  const isNext = last?.at.flag === "page" && last.pageSize === pageSize && last.totals.limit > 0;
  if (isNext && last.totals.limit !== limit)
    return {
      problem: `page ${at.value} has a size of ${limit}, but the page before has ${last.totals.limit}`,
    };
  if (limit === pageSize || limit !== rows.length) return undefined;
  return { habit: "sizes", problem: `page ${at.value} has a size of ${limit} instead of ${pageSize}` };
};

/**
 * No time range explains why a network has no DEXes, so a second response has to confirm it. A page after the last one
 * is counted as empty.
 */
const emptyAtOnce: Check = (answer, { reply, count }) => {
  const isEmpty = answer.rows.length === 0 && count.listed === 0;
  const isUnproved = reply.handOverAfter === undefined && isEmpty && !isCounted(answer);
  return isUnproved ? { habit: "empty", problem: "the first page is empty" } : undefined;
};

const tooFewRows: Check = (answer, { count }) => {
  const { at, pageSize, rows } = answer;
  // Unusable totals do not invalidate an earlier count.
  const expected = countedRows(answer) ?? Math.min(pageSize, count.left ?? 0);
  if (rows.length >= expected) return undefined;
  return { problem: `page ${at.value} has only ${rows.length} of ${expected} rows` };
};

const earlierRows: Check = (answer, state) => {
  const { at, totals, rows } = answer;
  if (rows.length === 0 || state.isReadAgain(at)) return undefined;
  const { known, doubles, fresh } = state.inspectRowsOf(answer);
  const repeats = known.length + doubles;
  if (repeats === 0 || isPushedBack(answer, state)) return undefined;
  if (countedRows(answer) === undefined) {
    // Without usable totals, only a page that brings nothing new contradicts a promise.
    const isPromised = (state.count.left ?? 0) > 0 || totals.pages > Number(at.value);
    return fresh === 0 && isPromised ? { problem: `page ${at.value} repeats earlier rows` } : undefined;
  }
  if (known.length === 0) return { problem: `page ${at.value} has ${counted(doubles, "row")} twice` };
  return { problem: `page ${at.value} repeats ${counted(repeats, "earlier row")}` };
};

/** A page is incomplete if it is short, although more rows are counted and another page follows. */
const shortByCursor: Check = (answer, { count }) => {
  const { pageSize, rows } = answer;
  const most = Math.min(pageSize, count.left ?? 0, cappedAt(answer));
  if (isLastCursor(answer) || rows.length >= most) return undefined;
  return { habit: "lengths", problem: `a page has only ${rows.length} of ${most} rows` };
};

/** The cursor is the last ID whose rows are complete, so only rows of the ID at the edge may come again. */
const earlierRowsByCursor: Check = (answer, state) => {
  const { rows } = answer;
  const { known, doubles } = state.inspectRowsOf(answer);
  if (known.length + doubles === 0 || known.length === rows.length) return undefined;
  const { edge } = state;
  if (doubles === 0 && edge.follows(known, rows) && edge.isOneId(rows, known.length)) return undefined;
  return { problem: `a page repeats ${counted(known.length + doubles, "earlier row")}` };
};

/** Rows of the ID at the edge come again, unless they were withdrawn meanwhile, which a second response can confirm. */
const anotherEdge: Check = (answer, state) => {
  const { at, rows } = answer;
  const isFresh = rows.length > 0 && state.inspectRowsOf(answer).known.length === 0;
  if (!isFresh || !state.edge.isBefore(at.value)) return undefined;
  const [first, last] = [rows.marks()[0], state.edge.last].map((row) => String(member(row, "id")));
  return { habit: "edges", problem: `a page by cursor begins with ${first} instead of ${last}` };
};

const disorder: Check = ({ rows }, { reply, edge }) =>
  reply.handOverAfter === undefined || edge.isSorted(rows)
    ? undefined
    : { habit: "order", problem: "the rows of a page are not sorted by time" };

const numberChecks = [
  anotherNumber,
  tooManyRows,
  anotherSize,
  emptyAtOnce,
  tooFewRows,
  earlierRows,
  disorder,
];
const cursorChecks = [shortByCursor, earlierRowsByCursor, anotherEdge, disorder];

/**
 * New rows push known rows onto this page: they are then its first rows, up to the last row taken, and the total has
 * grown by at least as many. Between two runs, rows may also have been removed, so the growth shows nothing: if rows
 * follow the last one of the earlier run, none is missing between them.
 */
export function isPushedBack(answer: NumberedAnswer, state: NumberedState): boolean {
  const { known, doubles } = state.inspectRowsOf(answer);
  const { listed, window } = state.count;
  const isResumed = listed === 0 && known.length < answer.rows.length;
  const grown =
    window.items === undefined || isResumed ? Number.POSITIVE_INFINITY : answer.totals.items - window.items;
  return doubles === 0 && state.edge.follows(known, answer.rows) && known.length <= grown;
}
