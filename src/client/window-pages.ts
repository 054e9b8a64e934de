import type { FrozenWindow } from "./frozen-windows.ts";
import { inOrder } from "./in-order.ts";
import type { NumberedAnswer, NumberedPages } from "./numbered-answer.ts";
import type { NumberedWalk } from "./numbered-walk.ts";
import type { Page } from "./page.ts";
import type { Place } from "./place.ts";

/** Looks back that found nothing moved, before totals that change are put up with; and pages that allow one more. */
const looksAllowed = 3;
const pagesALook = 10;
/** Requests for one page before it is taken as it is. */
const triesAPage = 3;

/** The pages of a window in order, several under way at once. Returns where the list goes on. */
export async function* walkWindow(
  walk: NumberedWalk,
  reply: NumberedPages,
  window: FrozenWindow,
  width: number,
): AsyncGenerator<Page, Place | undefined> {
  const lastNumber = reply.handOverAfter ?? Number.POSITIVE_INFINITY;
  const step = createStep(walk, window);
  let at: Place | undefined = window.first === undefined ? step.placeOf(window.from) : window.first.at;
  const asks = function* (): Generator<() => Promise<NumberedAnswer>> {
    for (let number = window.from; number <= Math.min(step.pages(), lastNumber); number += 1) {
      // Under way are the pages after the one taken last; the wanted ones are counted from there.
      if (number - step.taken() > walk.pagesLeft()) return;
      yield async () => await walk.ask(step.placeOf(number));
    }
  };
  if (window.first !== undefined) at = yield* step.take(window.first);
  if (at?.flag !== "page") return at;
  for await (const answer of inOrder(asks(), width)) {
    at = yield* step.goOn(answer);
    if (at?.flag !== "page") return at;
  }
  return at;
}

interface Step {
  /** Hands on the page of an answer. Returns where the list goes on. */
  readonly take: (answer: NumberedAnswer) => Generator<Page, Place | undefined>;
  /** The same for the page after the one taken last, once it is sure that it is the one. */
  readonly goOn: (answer: NumberedAnswer) => AsyncGenerator<Page, Place | undefined>;
  readonly placeOf: (number: number) => Place;
  /** The number of the page taken last. */
  readonly taken: () => number;
  /** Pages of the window, as far as it was heard. */
  readonly pages: () => number;
}

/**
 * A page whose total differs from the one before says that the list has moved in between: late rows came in, or some were
 * taken back. The walk then makes sure that it goes on where it was, by the last row it has.
 */
function createStep(walk: NumberedWalk, window: FrozenWindow): Step {
  const { edge } = walk;
  let { items, pages } = window;
  let taken = window.from - 1;
  let quietLooks = 0;
  const frozen = window.to === undefined ? {} : { to: window.to };
  const placeOf = (number: number): Place => ({ flag: "page", value: String(number), ...frozen });
  const hasEdge = ({ page }: NumberedAnswer): boolean => edge.find(page.values) >= 0;

  function* take(answer: NumberedAnswer): Generator<Page, Place | undefined> {
    ({ items, pages } = answer.totals);
    taken = Number(answer.at.value);
    const page = walk.take(answer, hasEdge(answer));
    yield page;
    return page.next;
  }

  async function* goOn(asked: NumberedAnswer): AsyncGenerator<Page, Place | undefined> {
    const number = taken + 1;
    let answer = asked;
    for (let tries = 1; tries < triesAPage; tries += 1) {
      if (answer.totals.items === items) {
        // The page before once more, or none, though the totals promise another: neither is the end.
        if (edge.bringsNew(answer.page.values)) break;
        answer = await walk.ask(placeOf(number));
        continue;
      }
      // Late rows have pushed the edge on into this page, so everything after it is here.
      if (hasEdge(answer) || quietLooks >= looksAllowed + number / pagesALook) break;
      const before = await walk.ask(placeOf(number - 1));
      const at = edge.find(before.page.values);
      if (at < 0) {
        // Moved by more than a page: only the id of a row leads back to where the walk was.
        window.lost();
        const id = edge.lastWholeId();
        if (id === undefined) break;
        return { flag: "cursor", value: id, ...frozen };
      }
      if (at === before.page.rows.length - 1) {
        quietLooks += 1;
        ({ items } = before.totals);
      } else {
        const next = yield* take(before);
        if (next?.flag !== "page") return next;
      }
      if (answer.totals.items !== items) answer = await walk.ask(placeOf(number));
    }
    return yield* take(answer);
  }

  return { take, goOn, placeOf, taken: () => taken, pages: () => pages };
}
