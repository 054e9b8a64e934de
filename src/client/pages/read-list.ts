import type { LongReply } from "../../api/reply.ts";
import { askInBatches } from "./batches.ts";
import { countBack } from "../candles/count-back.ts";
import { madeCandles } from "../candles/made-candles.ts";
import { readSlices } from "../candles/slice-answer.ts";
import { readCursorPages } from "./cursor-pages.ts";
import { readNumberedPages } from "./numbered-pages.ts";
import { closing, endlessList, everyRow, type Page, type Reading, rowsSentIn } from "../page.ts";
import type { ListRequest } from "../list-plan.ts";
import { createSeenKeys } from "../seen-keys.ts";
import { madeInterval, sourceArgs, sourceLimit } from "../candle-windows.ts";

export function readList(
  request: ListRequest,
  reply: LongReply,
  reading: Reading = everyRow(createSeenKeys("all", false)),
): AsyncGenerator<Page> {
  const { args, list } = request;
  const read = { ...request, ...reading };
  switch (reply.kind) {
    case "cursor-pages":
      return judged(readCursorPages(read, reply), list.isStrict);
    case "numbered-pages":
      return judged(readNumberedPages(read, reply), list.isStrict);
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

/** The pull gives up after this many consecutive pages of repeated rows, because each page costs a credit. */
const maxRepeatedPages = 3;
/** More empty pages are accepted, because a filter that matches few rows may leave some empty. */
const maxEmptyPages = 10;

/** Passes pages through. Fails if the list goes on without new rows, or after its last page if doubts remain. */
async function* judged(pages: AsyncIterable<Page>, isStrict: boolean): AsyncGenerator<Page> {
  let [repeats, empty] = [0, 0];
  for await (const page of pages) {
    const { adds, end } = page;
    if (end.kind === "last") yield* closing(page, isStrict);
    else yield page;
    // A page that was requested again on purpose is not a sign of an endless list.
    if (adds === "read again") continue;
    repeats = adds === "nothing" && rowsSentIn(page) > 0 ? repeats + 1 : 0;
    empty = adds === "nothing" ? empty + 1 : 0;
    const isExhausted = repeats === maxRepeatedPages || empty === maxEmptyPages;
    if (isExhausted && end.kind === "more") throw endlessList(empty, end.doubts);
  }
}
