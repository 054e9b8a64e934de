import type { LongReply } from "../../api/reply.ts";
import { askInBatches } from "./batches.ts";
import { countBack } from "../candles/count-back.ts";
import { madeCandles } from "../candles/made-candles.ts";
import { readSlices } from "../candles/slice-answer.ts";
import { readCursorPages } from "./cursor-pages.ts";
import { failOnDoubts, refuseEndless } from "./page-guards.ts";
import { readNumberedPages } from "./numbered-pages.ts";
import { everyRow, type Page, type Reading } from "../page.ts";
import type { ListRequest } from "../list-plan.ts";
import { createSeenKeys } from "../seen-keys.ts";
import { madeInterval, sourceArgs, sourceLimit } from "../candle-intervals.ts";

export function readList(
  request: ListRequest,
  reply: LongReply,
  reading: Reading = everyRow(createSeenKeys("all", false)),
): AsyncGenerator<Page> {
  const { args, list } = request;
  const read = { ...request, ...reading };
  switch (reply.kind) {
    case "cursor-pages":
      return failOnDoubts(refuseEndless(readCursorPages(read, reply)), list.isStrict);
    case "numbered-pages":
      return failOnDoubts(refuseEndless(readNumberedPages(read, reply)), list.isStrict);
    case "batch":
      if (list.kind !== "batch") throw new Error(`${reply.kind} without inputs`);
      return askInBatches(request, reply, list);
    case "candles": {
      const made = madeInterval(args.get("interval"));
      const sliced =
        made === undefined
          ? { ...request, maxLimit: reply.maxLimit }
          : { ...request, args: sourceArgs(args, made), maxLimit: sourceLimit(reply.maxLimit, made), made };
      // A resumed pull already knows the start of its time range.
      const isCountedBack = args.has("count_back") && list.start === undefined;
      const pages = isCountedBack ? countBack(sliced) : readSlices(sliced);
      return made === undefined ? pages : madeCandles(pages, made);
    }
  }
}
