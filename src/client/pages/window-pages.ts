import type { FrozenWindow } from "./frozen-windows.ts";
import { inOrder } from "./in-order.ts";
import { letLeave } from "../connection/let-leave.ts";
import type { NumberedAnswer, NumberedPages } from "./numbered-answer.ts";
import type { NumberedWalk } from "./numbered-walk.ts";
import type { Page } from "./page.ts";
import type { Place } from "./place.ts";
import { createWindowStep } from "./window-step.ts";

/** The pages of a window in order, several under way at once. Returns where the list goes on. */
export async function* walkWindow(
  walk: NumberedWalk,
  reply: NumberedPages,
  window: FrozenWindow,
  width: number,
): AsyncGenerator<Page, Place | undefined> {
  const lastNumber = reply.handOverAfter ?? Number.POSITIVE_INFINITY;
  const step = createWindowStep(walk, reply, window);
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
    await letLeave();
    at = yield* step.goOn(answer);
    if (at?.flag !== "page" || step.isLeft()) return at;
  }
  return at;
}
