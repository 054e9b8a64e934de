import type { FrozenWindow } from "./frozen-windows.ts";
import type { NumberedAnswer, NumberedPages } from "./numbered-answer.ts";
import type { NumberedWalk } from "./numbered-walk.ts";
import type { Page } from "./page.ts";
import type { Place } from "./place.ts";

/** Requests that may go into making sure, in a window: so many, and one more for so many pages. */
const extraAllowed = 6;
const pagesAnExtra = 5;
/** Requests for one page of a list that moves all the time, before it is taken as it is. */
const triesAPage = 3;
/** Looks back at a smaller list that found nothing moved, before it is put down to rows that expire at its far end. */
const quietLooksAllowed = 3;

/** From page to page of a window. */
export interface Step {
  /** Hands on the page of an answer. Returns where the list goes on. */
  readonly take: (answer: NumberedAnswer) => Generator<Page, Place | undefined>;
  /** The same for the page after the one taken last, once it is sure that it is the one. */
  readonly goOn: (answer: NumberedAnswer) => AsyncGenerator<Page, Place | undefined>;
  readonly placeOf: (number: number) => Place;
  /** The number of the page taken last. */
  readonly taken: () => number;
  /** Whether the window is not to be relied on any more. */
  readonly isLeft: () => boolean;
  /** Pages of the window, as far as it was heard. */
  readonly pages: () => number;
}

/**
 * A page whose total differs from the one before says that the list has moved in between: late rows came in, or some were
 * taken back. The walk then makes sure that it goes on where it was, by the last row it has. Where that takes too many
 * requests, the list goes on one page after the other. A page that contradicts its own totals is requested again in its
 * place, so that the pages after it, which are on their way, are not paid for twice.
 */
export function createWindowStep(walk: NumberedWalk, reply: NumberedPages, window: FrozenWindow): Step {
  const { edge } = walk;
  let { items, pages } = window;
  let taken = window.from - 1;
  let [extra, quietLooks] = [0, 0];
  let isLeft = false;
  const outdated = new Set<number>();
  const frozen = window.to === undefined ? {} : { to: window.to };
  const placeOf = (number: number): Place => ({ flag: "page", value: String(number), ...frozen });
  const hasEdge = ({ page }: NumberedAnswer): boolean => edge.find(page.rows.marks()) >= 0;
  const isExpiring = ({ totals }: NumberedAnswer): boolean =>
    quietLooks >= quietLooksAllowed && totals.items <= window.items;

  const askAgain = async (number: number): Promise<NumberedAnswer> => {
    extra += 1;
    return await walk.ask(placeOf(number));
  };
  const mayLookBack = (number: number): boolean => extra < extraAllowed + number / pagesAnExtra;
  const leave = (): void => {
    isLeft = true;
    window.leave();
  };
  const adopt = (total: number): void => {
    if (total !== items) outdated.add(items);
    outdated.delete(total);
    items = total;
  };

  function* take(answer: NumberedAnswer): Generator<Page, Place | undefined> {
    ({ pages } = answer.totals);
    adopt(answer.totals.items);
    taken = Number(answer.at.value);
    const page = walk.take(answer, hasEdge(answer));
    yield page;
    return page.next;
  }

  /** The page itself where it can be the next one; undefined where the walk has to leave the window for it. */
  async function* sound(asked: NumberedAnswer): AsyncGenerator<Page, NumberedAnswer | undefined> {
    let answer = asked;
    for (;;) {
      const problem = walk.contradiction(answer);
      if (problem === undefined) return answer;
      if (!(await walk.again(problem, answer))) {
        if (!walk.believe(answer)) yield* walk.refuse(problem, answer);
      } else if (walk.isInVain() && reply.handOverAfter !== undefined) return undefined;
      else answer = await walk.ask(answer.at);
    }
  }

  /** Reads the pages before this number again, from the nearest one that begins with a known row, so that no gap remains. */
  async function* takeAgainBefore(number: number, before: NumberedAnswer): AsyncGenerator<Page> {
    let first = before;
    for (let page = number - 2; page > 0 && !walk.hasTaken(first) && mayLookBack(number); page -= 1)
      first = await askAgain(page);
    const from = Number(first.at.value);
    if (from > 1 && !walk.hasTaken(first)) walk.doubt();
    yield* take(first);
    for (let page = from + 1; page < number; page += 1) yield* take(await askAgain(page));
  }

  async function* goOn(asked: NumberedAnswer): AsyncGenerator<Page, Place | undefined> {
    const number = taken + 1;
    let answer = asked;
    for (let tries = 1; ; tries += 1) {
      const found = yield* sound(answer);
      if (found === undefined) {
        isLeft = true;
        return placeOf(number);
      }
      answer = found;
      const isSame = answer.totals.items === items;
      // Late rows have pushed the edge on into this page, so everything after it is here.
      if (isSame || hasEdge(answer)) break;
      if (isExpiring(answer) || tries === triesAPage) {
        walk.doubt();
        break;
      }
      if (!mayLookBack(number)) {
        leave();
        return placeOf(number);
      }
      // It was answered before the list had moved.
      if (tries === 1 && outdated.has(answer.totals.items)) {
        answer = await askAgain(number);
        continue;
      }
      const before = await askAgain(number - 1);
      const at = edge.find(before.page.rows.marks());
      if (at < 0 && reply.handOverAfter !== undefined) {
        // Moved by more than a page: only the id of a row leads back to where the walk was.
        leave();
        const id = edge.lastWholeId();
        return id === undefined ? placeOf(number) : { flag: "cursor", value: id, ...frozen };
      }
      if (at < 0) yield* takeAgainBefore(number, before);
      else if (at === before.page.rows.length - 1) {
        if (answer.totals.items === before.totals.items) quietLooks += 1;
        adopt(before.totals.items);
      } else {
        const next = yield* take(before);
        if (next?.flag !== "page") return next;
      }
      if (answer.totals.items !== items) answer = await askAgain(number);
    }
    return yield* take(answer);
  }

  return { take, goOn, placeOf, taken: () => taken, isLeft: () => isLeft, pages: () => pages };
}
