import type { Context } from "../../context/context.ts";
import { createRenderer, type Presentation } from "../../render/renderer.ts";
import { formatInstant } from "../../time/time.ts";
import type { Notices } from "../notices.ts";
import { goneSentence, type WatchView } from "./watch-view.ts";

/** Rows as they come: the first round whole, then what is new or changed. */
export async function openWatchLines(
  context: Pick<Context, "clock">,
  notices: Notices,
  presentation: Omit<Presentation, "now">,
): Promise<WatchView> {
  const renderer = await createRenderer({ ...presentation, hasAges: false, now: context.clock.now() });
  return {
    show: async (_, { rows, gone }, at) => {
      for (const group of rows) await renderer.page({ ...group, next: undefined });
      if (gone.length > 0) notices.warn(`dexdata: ${instantOf(at)}: ${goneSentence(gone)}`);
    },
    failed: (reason) => notices.warn(`dexdata: ${reason}; asking again in the next round`),
    waiting: () => undefined,
    close: async () => await Promise.resolve(),
  };
}

/** RFC 3339 in whole seconds. */
export function instantOf(milliseconds: number): string {
  return formatInstant({ seconds: Math.floor(milliseconds / 1000), fraction: "" });
}
