import { counted } from "../../base/text/counted.ts";
import { type FrozenWindow, FrozenWindows } from "./frozen-windows.ts";
import { more, nextOf, type Position } from "../page-end.ts";
import type { NumberedAnswer, NumberedPages } from "./numbered-answer.ts";
import { NumberedWalk, type Pages } from "./numbered-walk.ts";
import type { Page, Reading } from "../page.ts";
import type { Asking } from "../walk.ts";

/**
 * Reads a numbered list (specification, Pagination styles 2). The service returns page 1 for page 0, so pages start at
 * 1. Beyond the last page number, the pull continues with `cursor`. If the list can be frozen in time, several pages
 * are requested at once. page-end.ts describes what proves that the list is complete.
 */
export async function* walkNumberedPages(
  asking: Asking & Reading,
  reply: NumberedPages,
): AsyncGenerator<Page> {
  const walk = new NumberedWalk(asking, reply);
  const canFreeze = reply.handOverAfter !== undefined;
  const mayRetry = asking.client.maxRepeats > 0;
  for await (const page of pagesOf(walk, asking.walk.start ?? firstPage)) {
    const isDoubtful = page.end.kind === "last" && page.end.doubts.length > 0;
    if (canFreeze || !isDoubtful || !mayRetry) {
      yield page;
      continue;
    }
    yield { ...page, end: more(firstPage, walk.doubts) };
    yield* secondReading(walk);
  }
}

const firstPage: Position = { flag: "page", value: "1" };

async function* pagesOf(walk: NumberedWalk, start: Position): AsyncGenerator<Page> {
  const windows = new FrozenWindows(walk);
  let at = yield* firstPages(windows, start);
  while (at !== undefined) {
    const window = walk.isInVain() ? await anotherUrl(windows) : await windows.openAt(at);
    at = yield* window === undefined ? onePage(windows, await walk.ask(at)) : windows.read(window);
  }
}

/**
 * A list that cannot be frozen in time may have moved a row from one page to another between two requests. All pages
 * are therefore read again; new rows among them complete the list.
 */
async function* secondReading(walk: NumberedWalk): AsyncGenerator<Page> {
  for (let number = 1; ; number += 1) {
    const answer = await walk.ask({ flag: "page", value: String(number) });
    const page = walk.take(answer, true);
    const isLast = answer.rows.length === 0 || !(answer.totals.pages > number);
    yield isLast ? walk.lastPage(page) : { ...page, end: more(answer.at, walk.doubts) };
    if (isLast) return;
  }
}

/**
 * Called when all retries of a page have failed. A window that ends at the last row gives the same rows a different
 * URL. If it has fewer rows than the old window still counts, the service returned this page instead of another one,
 * whose rows are missing.
 */
async function anotherUrl(windows: FrozenWindows): Promise<FrozenWindow | undefined> {
  const { walk } = windows;
  const { left } = walk.count;
  const [before, wrong] = [walk.last, walk.contradicted()];
  const window = await windows.reopen();
  const isStill = before !== undefined && wrong !== undefined && before.totals.items === wrong.totals.items;
  if (isStill && window !== undefined && left !== undefined && window.left < left) {
    const rows = left - window.left;
    const problem = `${counted(rows, "row")} before page ${wrong.at.value} ${rows === 1 ? "was" : "were"} not returned`;
    walk.doubt(problem, wrong, rows);
  }
  return window;
}

/**
 * Reads the page where the pull starts. If rows have been withdrawn since an earlier run, the remaining rows have moved
 * to earlier pages. The difference between the counts shows how far. The pull then goes back to its last row, or else
 * by that many pages. The starting page is not requested twice.
 */
async function* firstPages(windows: FrozenWindows, at: Position): Pages {
  const { walk } = windows;
  const answer = await walk.ask(at);
  const withdrawn = at.flag === "page" && at.items !== undefined ? at.items - answer.totals.items : 0;
  if (!(withdrawn > 0) || Number(at.value) < 2) return yield* onePage(windows, answer);
  const window = await windows.reopen();
  if (window !== undefined) return yield* windows.read(window);
  const number = Math.max(1, Number(at.value) - Math.ceil(withdrawn / walk.pageSize));
  return { ...at, value: String(number) };
}

/** Returns the position where the list continues: the same one if the page contradicts the count. */
async function* onePage(windows: FrozenWindows, answer: NumberedAnswer): Pages {
  const { walk } = windows;
  const { at } = answer;
  if (!(await walk.settle(answer))) return at;
  const before = walk.last;
  const hasMoved =
    at.flag === "page" && before?.at.flag === "page" && before.totals.items !== answer.totals.items;
  if (hasMoved && !walk.holdsEdge(answer)) walk.isDoubted = true;
  const page = windows.freeze(walk.take(answer), answer);
  const isProved = page.end.kind === "more" || at.flag === "page" || walk.count.left === 0;
  if (!isProved) return yield* afterLastCursor(windows, answer, page);
  yield page;
  return nextOf(page);
}

/**
 * A cursor page that names no next page or has no new rows is the last one only if the count agrees. The rows that
 * follow it are therefore counted, and read if there are any.
 */
async function* afterLastCursor(windows: FrozenWindows, answer: NumberedAnswer, page: Page): Pages {
  const { walk } = windows;
  const { at } = answer;
  const { left } = walk.count;
  const window = await windows.reopen();
  if (window?.left === 0) {
    const missing = left === undefined ? 0 : await walk.missing();
    // The missing rows belong to earlier pages, so reading the end again cannot help.
    if (missing > 0) {
      walk.count.left = missing;
      walk.doubt(`the service reports ${counted(missing, "more row")}`, answer);
      yield walk.withoutProof(page);
      return undefined;
    }
    walk.count.left = left === undefined ? undefined : 0;
    yield left === undefined ? walk.withoutProof({ ...page, left: 0 }) : walk.lastPage({ ...page, left: 0 });
    return undefined;
  }
  const id = walk.edge.lastWholeId ?? at.value;
  const next = { ...at, value: id };
  if (window !== undefined) {
    yield { ...page, left: window.left, end: more(next, walk.doubts) };
    return yield* windows.read(window);
  }
  if (id !== at.value && left !== undefined) {
    yield { ...page, end: more(next, walk.doubts) };
    return next;
  }
  if (left !== undefined) return yield* endEarly(walk, answer, page, left);
  const isFirst = page.rows.length === 0 && walk.edge.last === undefined && walk.contradicted() === undefined;
  if (isFirst && (await walk.again("the first page is empty", answer))) return at;
  yield page;
  return undefined;
}

/** The rows are returned before a retry, because they are marked as seen and the retry would drop them as repeats. */
async function* endEarly(walk: NumberedWalk, answer: NumberedAnswer, page: Page, left: number): Pages {
  const { at } = answer;
  const problem = `the list ends ${counted(left, "row")} early`;
  if (page.rows.length > 0) yield { ...page, end: more(at, walk.doubts) };
  if (await walk.again(problem, answer)) return at;
  walk.doubt(problem, answer);
  yield walk.withoutProof({ ...page, rows: page.rows.keep([]) });
  return undefined;
}
