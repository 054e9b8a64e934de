import type { Args } from "../model/args.ts";
import { compareInstants, fromWire, type Instant, parseRfc3339, toWire } from "../model/time.ts";
import { isCounted, type NumberedAnswer, type NumberedPages } from "./numbered-answer.ts";
import type { NumberedWalk } from "./numbered-walk.ts";
import type { Place } from "./place.ts";

/** A stretch of the list up to an instant, in which page numbers mean the same from request to request. */
export interface FrozenWindow {
  /** Answered already, and not yet taken. */
  readonly first: NumberedAnswer | undefined;
  /** The number of the page after that. */
  readonly from: number;
  /** As on the wire; undefined where the question's own bound holds. */
  readonly to: string | undefined;
  /** The totals of the list, as long as it does not move. */
  readonly items: number;
  readonly pages: number;
  /** Whoever walks the window lost the list's edge: windows are not to be relied on. */
  readonly lost: () => void;
}

export interface FrozenWindows {
  /** The window in which the list goes on from there; undefined where only one page after the other is safe. */
  readonly openAt: (at: Place) => Promise<FrozenWindow | undefined>;
}

/** A new window repeats a few rows and may turn out not to hold the edge, so fewer pages are not worth one. */
const worthAWindow = 20;
const mishapsAllowed = 3;

/**
 * `to` is inclusive by the specification; the public service was seen to leave it out, and a service may cut fractions.
 * So a bound is tried as the row's own instant and then a second later, and what was seen to hold is remembered.
 */
export function createFrozenWindows(
  walk: NumberedWalk,
  reply: NumberedPages,
  args: Args,
  pageSize: number,
): FrozenWindows {
  const { edge } = walk;
  const asked = args.get("to");
  // A bound that only the service can read, as `-1h` in a raw call, moves with its clock.
  const isReadable = asked === undefined || /^\d+$/u.test(asked) || parseRfc3339(asked) !== undefined;
  let knownShift: number | undefined;
  let mishaps = 0;

  const lost = (): void => {
    mishaps += 1;
  };
  const open = (to: string | undefined, from: NumberedAnswer, first?: NumberedAnswer): FrozenWindow => {
    const { at, totals } = from;
    return { first, from: Number(at.value) + 1, to, items: totals.items, pages: totals.pages, lost };
  };

  /** Never later than the question's own bound; each bound once. */
  const boundsAt = (row: object | undefined): readonly (readonly [shift: number, to: string])[] => {
    const instant = edge.instantOf(row);
    if (instant === undefined) return [];
    const bounds = new Map<string, number>();
    for (const shift of knownShift === undefined ? [0, 1] : [knownShift]) {
      const to = earlier({ ...instant, seconds: instant.seconds + shift }, asked);
      if (!bounds.has(to)) bounds.set(to, shift);
    }
    return [...bounds].map(([to, shift]) => [shift, to]);
  };

  /** After page 1 of a list whose end is open: its newest row is the end, when page 2 then has the same total. */
  const freeze = async (page1: NumberedAnswer): Promise<FrozenWindow | undefined> => {
    for (const [shift, to] of boundsAt(page1.page.values[0])) {
      const answer = await walk.ask({ flag: "page", value: "2", to });
      const isSame = answer.totals.items === page1.totals.items;
      if (isCounted(answer, pageSize) && (isSame || edge.find(answer.page.values) >= 0)) {
        knownShift = shift;
        return open(to, answer, answer);
      }
    }
    return undefined;
  };

  /** At the last row taken: the first page of the new window has to hold it, so nothing between is lost. */
  const reopen = async (): Promise<FrozenWindow | undefined> => {
    // More rows of one instant than a page holds are passed by cursor.
    if (edge.ties() >= pageSize) return undefined;
    for (const [shift, to] of boundsAt(edge.last())) {
      if (mishaps >= mishapsAllowed) break;
      const answer = await walk.ask({ flag: "page", value: "1", to });
      if (isCounted(answer, pageSize) && edge.find(answer.page.values) >= 0) {
        knownShift = shift;
        return open(to, answer, answer);
      }
      mishaps += 1;
    }
    return undefined;
  };

  return {
    openAt: async (at) => {
      const last = walk.last();
      const left = walk.pagesLeft();
      if (reply.handOverAfter === undefined || !isReadable) return undefined;
      if (last === undefined || !walk.isCounted() || left < 1) return undefined;
      if (at.flag === "page") {
        const isFrozen = last.at.to !== undefined || (asked !== undefined && last.at.value !== "1");
        if (isFrozen) return left < 2 ? undefined : open(last.at.to, last);
        if (last.at.value === "1") return (await freeze(last)) ?? (await reopen());
      }
      return left < worthAWindow || mishaps >= mishapsAllowed ? undefined : await reopen();
    },
  };
}

function earlier(instant: Instant, asked: string | undefined): string {
  return asked !== undefined && compareInstants(fromWire(asked), instant) < 0 ? asked : toWire(instant);
}
