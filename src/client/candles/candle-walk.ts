import type { Asking, Page, Place } from "../pages/page.ts";
import { onlyGroup } from "../../contract/endpoint.ts";
import type { Reply } from "../../contract/reply.ts";
import { inOrder } from "../pages/in-order.ts";
import { textRows } from "../rows/rows.ts";
import { candleWindow, slicesOf, wholeSeconds } from "./candle-slices.ts";
import { type Asked, askUntilWhole, type Candle, createGapJudge } from "./slice-answer.ts";
import { countBack } from "./count-back.ts";

/** Any number of candles: those of a window, or the newest so many. */
export function askForCandles(
  asking: Asking,
  { maxLimit }: Extract<Reply, { kind: "candles" }>,
): AsyncGenerator<Page> {
  const asked: Asked = { ...asking, maxLimit };
  // A pull that is continued knows where its window begins.
  const isFromStart = asking.walk.start === undefined;
  return asking.args.has("count_back") && isFromStart ? countBack(asked) : walkSlices(asked);
}

/**
 * A window, in slices of what one answer holds, several of them under way. A candle on the edge of two slices, should the
 * service count `end` in, is given once; one that opens at the very end of the window is not part of it.
 */
async function* walkSlices(asked: Asked): AsyncGenerator<Page> {
  const { client, args, walk, maxLimit } = asked;
  const window = candleWindow(args, walk.start?.value);
  const end = wholeSeconds(window.end);
  const withRest = createGapJudge(asked);
  let last = Number.NEGATIVE_INFINITY;
  const asks = function* () {
    for (const slice of slicesOf(window, maxLimit))
      yield async () => ({ slice, ...(await askUntilWhole(asked, slice)) });
  };
  for await (const { slice, candles, isConfirmed } of inOrder(asks(), client.width, { firstAlone: true })) {
    const kept: Candle[] = [];
    let repeats = 0;
    for (const candle of await withRest(slice, candles, isConfirmed)) {
      if (candle.opens <= last) repeats += 1;
      else if (candle.opens < end) kept.push(candle);
      last = Math.max(last, candle.opens);
    }
    yield {
      group: onlyGroup,
      rows: textRows(kept),
      at: slice.start === args.get("start") ? undefined : placeOf(slice.start),
      next: slice.isLast ? undefined : placeOf(slice.end),
      repeats,
      ...(slice.isLast && { proof: "end of list" }),
    };
  }
}

function placeOf(start: string): Place {
  return { flag: "from", value: start };
}
