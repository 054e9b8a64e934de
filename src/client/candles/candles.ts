import type { Args } from "../../contract/args.ts";
import { type Endpoint, onlyGroup } from "../../contract/endpoint.ts";
import type { Reply } from "../../contract/reply.ts";
import type { Client } from "../client.ts";
import { inOrder } from "../pages/in-order.ts";
import type { Page } from "../pages/page.ts";
import type { Walk } from "../pages/pages.ts";
import type { Place } from "../pages/place.ts";
import { textRows } from "../rows/rows.ts";
import { type CandleSlice, candleWindow, slicesOf, wholeSeconds } from "./candle-slices.ts";
import { createGapJudge } from "./gap-judge.ts";
import { countBack } from "./count-back.ts";
import { type Asked, askUntilWhole, askWholeSlice, type Candle } from "./slice-answer.ts";

/** Any number of candles: those of a window, or the newest so many. */
export function askForCandles(
  client: Client,
  endpoint: Endpoint,
  { maxLimit }: Extract<Reply, { kind: "candles" }>,
  args: Args,
  walk: Walk,
): AsyncGenerator<Page> {
  const asked: Asked = { client, endpoint, args, maxLimit };
  // A pull that is continued knows where its window begins.
  return args.has("count_back") && walk.start === undefined
    ? countBack(asked, walk)
    : walkSlices(asked, walk);
}

/**
 * A window, in slices of what one answer holds, several of them under way. A candle on the edge of two slices, should the
 * service count `end` in, is given once; one that opens at the very end of the window is not part of it.
 */
async function* walkSlices(asked: Asked, walk: Walk): AsyncGenerator<Page> {
  const { client, args, maxLimit } = asked;
  const window = candleWindow(args, walk.start?.value);
  const end = wholeSeconds(window.end);
  const gaps = createGapJudge(walk.candles?.now);
  let last = Number.NEGATIVE_INFINITY;
  const asks = asksOf(asked, slicesOf(window, maxLimit));
  for await (const { slice, isConfirmed, ...found } of inOrder(asks, client.width, { firstAlone: true })) {
    let { candles } = found;
    const rest = gaps.restInDoubt(slice, candles);
    if (rest !== undefined) {
      const later = isConfirmed ? [] : await askWholeSlice(asked, rest);
      gaps.settle(later);
      candles = [...candles, ...later];
    }
    const kept: Candle[] = [];
    let repeats = 0;
    for (const candle of candles) {
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

interface Answered {
  readonly slice: CandleSlice;
  readonly candles: readonly Candle[];
  readonly isConfirmed: boolean;
}

function* asksOf(asked: Asked, slices: Iterable<CandleSlice>): Generator<() => Promise<Answered>> {
  for (const slice of slices) yield async () => ({ slice, ...(await askUntilWhole(asked, slice)) });
}
