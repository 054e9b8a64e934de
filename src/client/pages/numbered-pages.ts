import { counted } from "../../base/text/words.ts";
import { type FrozenWindow, FrozenWindows } from "./frozen-windows.ts";
import { more, nextOf, type Page, type Position, type Reading } from "../page.ts";
import type { NumberedAnswer, NumberedPages } from "./numbered-answer.ts";
import { NumberedList, type Pages } from "./numbered-list.ts";
import type { ListRequest } from "../list-plan.ts";

/**
 * Reads a numbered list (specification, Pagination styles 2). The service returns page 1 for page 0, so pages start at
 * 1. Beyond the last page number, the pull continues with `cursor`. If the list can be frozen in time, several pages
 * are requested at once. `page.ts` describes what proves that the list is complete.
 */
export async function* readNumberedPages(
  request: ListRequest & Reading,
  reply: NumberedPages,
): AsyncGenerator<Page> {
  const list = new NumberedList(request, reply);
  const canFreeze = reply.handOverAfter !== undefined;
  const mayRetry = request.client.maxRepeats > 0;
  for await (const page of pagesOf(list, request.list.start ?? firstPage)) {
    const isDoubtful = page.end.kind === "last" && page.end.doubts.length > 0;
    if (canFreeze || !isDoubtful || !mayRetry) {
      const { end } = page;
      const isDoubted = end.kind === "more" && list.isDoubted;
      yield isDoubted ? { ...page, end: { ...end, next: { ...end.next, isDoubted } } } : page;
      continue;
    }
    yield { ...page, end: more(firstPage, list.doubts) };
    yield* secondReading(list);
  }
}

const firstPage: Position = { flag: "page", value: "1" };

async function* pagesOf(list: NumberedList, start: Position): AsyncGenerator<Page> {
  const windows = new FrozenWindows(list);
  let at = yield* firstPages(windows, start);
  while (at !== undefined) {
    const window = list.isInVain() ? await anotherUrl(windows) : await windows.openAt(at);
    at = yield* window === undefined ? onePage(windows, await list.ask(at)) : windows.read(window);
  }
}

/**
 * A list that cannot be frozen in time may have moved a row from one page to another between two requests. All pages
 * are therefore read again; new rows among them complete the list.
 */
async function* secondReading(list: NumberedList): AsyncGenerator<Page> {
  for (let number = 1; ; number += 1) {
    const answer = await list.ask({ flag: "page", value: String(number) });
    const page = list.take(answer, true);
    const isLast = answer.rows.length === 0 || !(answer.totals.pages > number);
    yield isLast ? list.lastPage(page) : { ...page, end: more(answer.at, list.doubts) };
    if (isLast) return;
  }
}

/**
 * Called when all retries of a page have failed. A window that ends at the last row gives the same rows a different
 * URL. If it has fewer rows than the old window still counts, the service returned this page instead of another one,
 * whose rows are missing.
 */
async function anotherUrl(windows: FrozenWindows): Promise<FrozenWindow | undefined> {
  const { list } = windows;
  const { left } = list.count;
  const [before, wrong] = [list.last, list.retried?.answer];
  const window = await windows.reopen();
  const isStill = before !== undefined && wrong !== undefined && before.totals.items === wrong.totals.items;
  if (isStill && window !== undefined && left !== undefined && window.left < left) {
    const rows = left - window.left;
    const problem = `${counted(rows, "row")} before page ${wrong.at.value} ${rows === 1 ? "was" : "were"} not returned`;
    list.doubt(problem, wrong, rows);
  }
  return window;
}

/**
 * A resumed pull continues in a window that ends at its last row, because rows may have moved to earlier pages since: a
 * row that is removed and a late row leave the total as it was. If no window can be opened there, the pull goes back by
 * as many pages as the totals show, but at least one, and from there to a page that begins with a known row. A list that
 * cannot be frozen continues at its page if the total is the same.
 */
async function* firstPages(windows: FrozenWindows, at: Position): Pages {
  const { list } = windows;
  const isResumed = at.flag === "page" && Number(at.value) > 1;
  const window = isResumed ? await windows.reopen() : undefined;
  if (window !== undefined) return yield* windows.read(window);
  const answer = await list.ask(at);
  const isStill = at.items === undefined || at.items === answer.totals.items;
  const isUnplaced = windows.canFreeze && list.edge.last !== undefined;
  if (!isResumed || (isStill && !isUnplaced) || list.holdsEdge(answer))
    return yield* onePage(windows, answer);
  const withdrawn = (at.items ?? 0) - answer.totals.items;
  let number = Math.max(1, Number(at.value) - Math.max(1, Math.ceil(withdrawn / list.pageSize)));
  for (;;) {
    const first = await list.ask({ ...at, value: String(number) });
    if (!(await list.settle(first))) continue;
    if (number === 1 || list.hasTaken(first)) return yield* onePage(windows, first);
    number -= 1;
  }
}

/** Returns the position where the list continues: the same one if the page contradicts the count. */
async function* onePage(windows: FrozenWindows, answer: NumberedAnswer): Pages {
  const { list } = windows;
  const { at } = answer;
  if (!(await list.settle(answer))) return at;
  if (hasMoved(list, answer) && !list.holdsEdge(answer) && !list.hasTaken(answer)) list.isDoubted = true;
  const page = windows.freeze(list.take(answer), answer);
  const isProved = page.end.kind === "more" || at.flag === "page" || list.count.left === 0;
  if (!isProved) return yield* afterLastCursor(windows, answer, page);
  yield page;
  return nextOf(page);
}

/** Whether the total is another one than before this page, so that rows may have moved to earlier pages. */
function hasMoved({ last, request: { list } }: NumberedList, { at, totals }: NumberedAnswer): boolean {
  if (at.flag !== "page" || at.value === "1") return false;
  if (last === undefined) return list.start?.items !== undefined && list.start.items !== totals.items;
  return last.at.flag === "page" && last.totals.items !== totals.items;
}

/**
 * A cursor page that names no next page or has no new rows is the last one only if the count agrees. The rows that
 * follow it are therefore counted, and read if there are any.
 */
async function* afterLastCursor(windows: FrozenWindows, answer: NumberedAnswer, page: Page): Pages {
  const { list } = windows;
  const { at } = answer;
  const { left } = list.count;
  const window = await windows.reopen();
  if (window?.left === 0) {
    const missing = left === undefined ? 0 : await list.missing();
    // The missing rows belong to earlier pages, so reading the end again cannot help.
    if (missing > 0) {
      list.count.left = missing;
      list.doubt(`the service reports ${counted(missing, "more row")}`, answer);
      yield list.withoutProof(page);
      return undefined;
    }
    list.count.left = left === undefined ? undefined : 0;
    yield left === undefined ? list.withoutProof({ ...page, left: 0 }) : list.lastPage({ ...page, left: 0 });
    return undefined;
  }
  const id = list.edge.lastWholeId ?? at.value;
  const next = { ...at, value: id };
  if (window !== undefined) {
    yield { ...page, left: window.left, end: list.moreAfter(at, next) };
    return yield* windows.read(window);
  }
  if (id !== at.value && left !== undefined) {
    yield { ...page, end: list.moreAfter(at, next) };
    return next;
  }
  if (left !== undefined) return yield* endEarly(list, answer, page, left);
  const isFirst = page.rows.length === 0 && list.edge.last === undefined && list.retried === undefined;
  if (isFirst && (await list.again("the first page is empty", answer))) return at;
  yield page;
  return undefined;
}

/** The rows are returned before a retry, because they are marked as seen and the retry would drop them as repeats. */
async function* endEarly(list: NumberedList, answer: NumberedAnswer, page: Page, left: number): Pages {
  const { at } = answer;
  const problem = `the list ends ${counted(left, "row")} early`;
  if (page.rows.length > 0) yield { ...page, end: list.moreAfter(at, at) };
  if (await list.again(problem, answer)) return at;
  list.doubt(problem, answer);
  yield list.withoutProof({ ...page, rows: page.rows.keep([]) });
  return undefined;
}
