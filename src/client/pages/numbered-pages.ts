import type { Args } from "../../contract/args.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { counted } from "../../text/counted.ts";
import type { Client } from "../client.ts";
import { createFrozenWindows, type FrozenWindow, type FrozenWindows } from "./frozen-windows.ts";
import type { NumberedAnswer, NumberedPages } from "./numbered-answer.ts";
import { createNumberedWalk, type NumberedWalk } from "./numbered-walk.ts";
import type { Page } from "./page.ts";
import type { ListWalk } from "./pages.ts";
import type { Place } from "./place.ts";
import { walkWindow } from "./window-pages.ts";

/** Pages, and then where the list goes on; undefined after its end. */
type Pages = AsyncGenerator<Page, Place | undefined>;

/** A walk, the windows it reads, and how it reads one. */
interface Reading {
  readonly walk: NumberedWalk;
  readonly windows: FrozenWindows;
  readonly inWindow: (window: FrozenWindow) => Pages;
}

/**
 * Specification, Pagination styles 2: pages from 1 on, because page 0 is served as page 1. Where page numbers end, the
 * walk goes on by `cursor`. What proves that the list is complete stands in completeness.ts.
 *
 * Where the list can be frozen in time, so that its pages stay what they are, several of them are asked for at once.
 */
export async function* walkNumberedPages(
  client: Client,
  endpoint: Endpoint,
  reply: NumberedPages,
  args: Args,
  options: ListWalk,
): AsyncGenerator<Page> {
  const walk = createNumberedWalk(client, endpoint, reply, args, options);
  const windows = createFrozenWindows(walk, reply, args);
  const inWindow = (window: FrozenWindow): Pages =>
    walkWindow(walk, reply, window, window.isFrozen ? client.width : 1);
  const reading = { walk, windows, inWindow };
  let at = yield* firstPages(reading, options.start ?? { flag: "page", value: "1" });
  while (at !== undefined) {
    const window: FrozenWindow | undefined = walk.isInVain()
      ? yield* anotherUrl(reading)
      : await windows.openAt(at);
    at = yield* window === undefined ? onePage(reading, await walk.ask(at)) : inWindow(window);
  }
  walk.confirm();
}

/**
 * After all retries of a page, the window that ends at the last row has the same rows under another URL. If that window has
 * fewer rows than the old one still counts, this page was returned earlier in place of another one, whose rows are missing.
 */
async function* anotherUrl({ walk, windows }: Reading): AsyncGenerator<Page, FrozenWindow | undefined> {
  const left = walk.count.left();
  const [last, wrong] = [walk.last(), walk.contradicted()];
  const window = await windows.reopen();
  const isStill = last !== undefined && wrong !== undefined && last.totals.items === wrong.totals.items;
  if (isStill && window !== undefined && left !== undefined && window.left < left)
    yield* walk.refuse(
      `${counted(left - window.left, "row")} before page ${wrong.at.value} were not returned`,
      wrong,
    );
  return window;
}

/**
 * The page where the walk begins. Where it was interrupted there and rows have been withdrawn since, the others have
 * moved to earlier pages, by as many as the service counts fewer: the walk goes back to its last row, or else by so many
 * pages. What comes again is dropped. The page itself is not asked for twice.
 */
async function* firstPages(reading: Reading, at: Place): Pages {
  const { walk, windows, inWindow } = reading;
  const answer = await walk.ask(at);
  const withdrawn = at.flag === "page" && at.items !== undefined ? at.items - answer.totals.items : 0;
  if (!(withdrawn > 0) || Number(at.value) < 2) return yield* onePage(reading, answer);
  const window = await windows.reopen();
  if (window !== undefined) return yield* inWindow(window);
  const number = Math.max(1, Number(at.value) - Math.ceil(withdrawn / walk.pageSize()));
  return { ...at, value: String(number) };
}

/** Returns where the list goes on: there again, where the page contradicts the count. */
async function* onePage(reading: Reading, answer: NumberedAnswer): Pages {
  const { walk, windows } = reading;
  const { at } = answer;
  const problem = walk.contradiction(answer);
  if (problem !== undefined) {
    if (await walk.again(problem, answer)) return at;
    if (!walk.believe(answer)) yield* walk.refuse(problem, answer);
  }
  const before = walk.last();
  const hasMoved =
    at.flag === "page" && before?.at.flag === "page" && before.totals.items !== answer.totals.items;
  if (hasMoved && walk.edge.find(answer.page.rows.marks()) < 0) walk.doubt();
  const page = windows.freeze(walk.take(answer), answer);
  const isProved = page.next !== undefined || at.flag === "page" || walk.count.left() === 0;
  if (!isProved) return yield* afterLastCursor(reading, answer, page);
  yield page;
  return page.next;
}

/**
 * A page by cursor that names no next one, or brings nothing new, is the last one only if the count does not contradict
 * it. So the rows that follow it are counted, and read if there are any.
 */
async function* afterLastCursor(reading: Reading, answer: NumberedAnswer, page: Page): Pages {
  const { walk, windows, inWindow } = reading;
  const { at } = answer;
  const left = walk.count.left();
  const window = await windows.reopen();
  if (window?.left === 0) {
    const missing = left === undefined ? 0 : await walk.missing();
    // The rows are missing from earlier pages, so reading the end again cannot help.
    if (missing > 0)
      return yield* endEarly(
        reading,
        answer,
        page,
        `the service counts ${counted(missing, "row")} more`,
        false,
      );
    yield left === undefined ? walk.withoutProof({ ...page, left: 0 }) : { ...page, left: 0, proof: "count" };
    return undefined;
  }
  const id = walk.edge.lastWholeId() ?? at.value;
  const next = { ...at, value: id };
  if (window !== undefined) {
    yield { ...page, left: window.left, next };
    return yield* inWindow(window);
  }
  if (id !== at.value && left !== undefined) {
    yield { ...page, next };
    return next;
  }
  if (left !== undefined)
    return yield* endEarly(reading, answer, page, `the list ends ${counted(left, "row")} early`);
  const isBlank = page.rows.length === 0 && walk.edge.last() === undefined;
  if (isBlank && walk.contradicted() === undefined && (await walk.again("the first page is empty", answer)))
    return at;
  yield page;
  return undefined;
}

/** Returns the rows of the page first: they are marked as seen, so a retry would drop them as repeats. */
async function* endEarly(
  { walk }: Reading,
  answer: NumberedAnswer,
  page: Page,
  problem: string,
  mayHelp = true,
): Pages {
  const { at } = answer;
  if (page.rows.length > 0) yield { ...page, next: at };
  if (mayHelp && (await walk.again(problem, answer))) return at;
  yield* walk.refuse(problem, answer);
  yield walk.withoutProof({ ...page, rows: page.rows.keep([]) });
  return undefined;
}
