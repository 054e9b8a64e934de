import type { LongReply } from "../../api/reply.ts";
import { askInBatches } from "./batches.ts";
import { countBack } from "../candles/count-back.ts";
import { madeCandles } from "../candles/made-candles.ts";
import { walkSlices } from "../candles/slice-answer.ts";
import { walkCursorPages } from "./cursor-pages.ts";
import { failOnDoubts, refuseEndless } from "./walk-guards.ts";
import { walkNumberedPages } from "./numbered-pages.ts";
import { everyRow, type Page, type Reading } from "../page.ts";
import type { Asking } from "../walk.ts";
import { createSeenKeys } from "../seen-keys.ts";
import { madeInterval, sourceArgs, sourceLimit } from "../candle-intervals.ts";

export function walkList(
  asking: Asking,
  reply: LongReply,
  reading: Reading = everyRow(createSeenKeys("all", false)),
): AsyncGenerator<Page> {
  const { args, walk } = asking;
  const list = { ...asking, ...reading };
  switch (reply.kind) {
    case "cursor-pages":
      return failOnDoubts(refuseEndless(walkCursorPages(list, reply)), walk.isStrict);
    case "numbered-pages":
      return failOnDoubts(refuseEndless(walkNumberedPages(list, reply)), walk.isStrict);
    case "batch":
      if (walk.kind !== "batch") throw new Error(`${reply.kind} without inputs`);
      return askInBatches(asking, reply, walk);
    case "candles": {
      const made = madeInterval(args.get("interval"));
      const asked =
        made === undefined
          ? { ...asking, maxLimit: reply.maxLimit }
          : { ...asking, args: sourceArgs(args, made), maxLimit: sourceLimit(reply.maxLimit, made), made };
      // A resumed pull already knows the start of its time range.
      const isCountedBack = args.has("count_back") && walk.start === undefined;
      const pages = isCountedBack ? countBack(asked) : walkSlices(asked);
      return made === undefined ? pages : madeCandles(pages, made);
    }
  }
}
