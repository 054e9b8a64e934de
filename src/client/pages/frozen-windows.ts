import type { Args } from "../../contract/args.ts";
import { isCounted, type NumberedAnswer, type NumberedPages } from "./numbered-answer.ts";
import type { NumberedWalk } from "./numbered-walk.ts";
import type { Page } from "./page.ts";
import type { Place } from "./place.ts";
import { isFixed, upperBound } from "./upper-bound.ts";

/** A stretch of the list up to an instant, in which page numbers mean the same from request to request. */
export interface FrozenWindow {
  /** Rows added later are not part of it, so several pages can be requested at once. */
  readonly isFrozen: boolean;
  /** Answered already, and not yet taken. */
  readonly first: NumberedAnswer | undefined;
  /** The number of the page after that. */
  readonly from: number;
  /** As on the wire; undefined where the question's own bound holds. */
  readonly to: string | undefined;
  /** The totals of the list, as long as it does not move. */
  readonly items: number;
  readonly pages: number;
  /** Rows after the last one taken, by these totals. */
  readonly left: number;
  /** Whoever walks the window cannot rely on it: the list goes on one page after the other. */
  readonly leave: () => void;
}

export interface FrozenWindows {
  /** The first page of a list whose end is open: its newest row is from now on the end. */
  readonly freeze: (page: Page, answer: NumberedAnswer) => Page;
  /** The window in which the list goes on from there; undefined where only one page after the other is safe. */
  readonly openAt: (at: Place) => Promise<FrozenWindow | undefined>;
  /** The window that ends at the last row taken, which counts the rows after it; undefined where there is none. */
  readonly reopen: () => Promise<FrozenWindow | undefined>;
}

/** A new window repeats a few rows and may turn out not to hold the edge, so fewer pages are not worth one. */
const worthAWindow = 20;
const mishapsAllowed = 3;

/**
 * A window ends a second after the row that is to be its newest. `to` is inclusive by the specification, but the public
 * service was seen to leave rows at it out, and a service may cut fractions: a second later the row is inside for all of
 * them. What else that second brings only pushes rows on, and what then comes again is dropped. Where so much happens in
 * a second that the row is not on the first page, the row's own instant is tried.
 */
export function createFrozenWindows(walk: NumberedWalk, reply: NumberedPages, args: Args): FrozenWindows {
  const { edge } = walk;
  const asked = args.get("to");
  // The pages of a list that is not in the order of time cannot be frozen.
  const canFreeze = reply.handOverAfter !== undefined && (asked === undefined || isFixed(asked));
  let shifts: readonly number[] = [1, 0];
  let mishaps = 0;
  let isLeft = false;

  const leave = (): void => {
    mishaps += 1;
    isLeft = true;
  };
  const open = (
    to: string | undefined,
    from: NumberedAnswer,
    left: number,
    first?: NumberedAnswer,
  ): FrozenWindow => {
    const { at, totals } = from;
    const { items, pages } = totals;
    const isFrozen = canFreeze && (to ?? asked) !== undefined;
    isLeft = false;
    return { isFrozen, first, from: Number(at.value) + 1, to, items, pages, left, leave };
  };

  /** At the last row taken: the first page of the new window has to hold it, and what follows that row is all in it. */
  const reopen = async (): Promise<FrozenWindow | undefined> => {
    const instant = edge.instantOf(edge.last());
    // More rows of one instant than a page holds are passed by cursor.
    if (instant === undefined || edge.ties() >= walk.pageSize() || !canFreeze) return undefined;
    for (const shift of shifts) {
      const to = upperBound(instant, shift, asked);
      const answer = await walk.ask({ flag: "page", value: "1", to });
      const at = edge.find(answer.page.rows.marks());
      if (isCounted(answer, walk.pageSize()) && at >= 0) {
        shifts = [shift, 1 - shift];
        return open(to, answer, answer.totals.items - at - 1, answer);
      }
      mishaps += 1;
    }
    return undefined;
  };

  return {
    freeze: (page, answer) => {
      const { at, next } = page;
      // Use the response, because a resumed pull may already have the newest rows, which the page then lacks.
      const newest = edge.instantOf(answer.page.rows.marks()[0]);
      const isOpen = at?.flag === "page" && at.value === "1" && at.to === undefined;
      // Without totals the pages cannot be relied on side by side, but one after the other they have an end as well.
      if (!isOpen || next === undefined || newest === undefined || !canFreeze) return page;
      return { ...page, next: { ...next, to: upperBound(newest, 1, asked) } };
    },
    openAt: async (at) => {
      const last = walk.last();
      const pagesLeft = walk.pagesLeft();
      if (last === undefined || pagesLeft < 1 || !walk.count.isUsable()) return undefined;
      const isStill = reply.handOverAfter === undefined || (canFreeze && (at.to ?? asked) !== undefined);
      const isWorthIt =
        !(isStill && at.flag === "page") && pagesLeft >= worthAWindow && mishaps < mishapsAllowed;
      const window = isWorthIt ? await reopen() : undefined;
      if (window !== undefined || at.flag !== "page" || isLeft) return window;
      return open(at.to, last, walk.count.left() ?? 0);
    },
    reopen,
  };
}
