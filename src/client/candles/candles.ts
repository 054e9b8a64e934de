import type { Args } from "../../model/args.ts";
import { type Endpoint, onlyGroup } from "../../model/endpoint.ts";
import type { Reply } from "../../model/reply.ts";
import type { Client } from "../client.ts";
import { inOrder } from "../pages/in-order.ts";
import type { Page } from "../pages/page.ts";
import type { Walk } from "../pages/pages.ts";
import type { Place } from "../pages/place.ts";
import { textRows } from "../rows/rows.ts";
import { type CandleSlice, candleWindow, restOf, slicesOf, wholeSeconds } from "./candle-slices.ts";
import { countBack } from "./count-back.ts";
import { type Asked, askSlice, askUntilWhole, type Candle } from "./slice-answer.ts";

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
  return args.has("count_back") && walk.start === undefined ? countBack(asked) : walkSlices(asked, walk);
}

/**
 * A window, in slices of what one answer holds, several of them under way. A candle on the edge of two slices, should the
 * service count `end` in, is given once; one that opens at the very end of the window is not part of it.
 */
async function* walkSlices(asked: Asked, walk: Walk): AsyncGenerator<Page> {
  const { client, args, maxLimit } = asked;
  const window = candleWindow(args, walk.start?.value);
  const end = wholeSeconds(window.end);
  const restInDoubt = createGapJudge(walk.candles?.now ?? Number.POSITIVE_INFINITY);
  let last = Number.NEGATIVE_INFINITY;
  const asks = asksOf(asked, slicesOf(window, maxLimit));
  for await (const { slice, isConfirmed, ...found } of inOrder(asks, client.width, { firstAlone: true })) {
    let { candles } = found;
    const rest = restInDoubt(slice, candles);
    if (rest !== undefined && !isConfirmed) candles = [...candles, ...(await askSlice(asked, rest))];
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

/** So few intervals without a candle are never taken for an answer that was cut short. */
const usualGap = 9;
/** A gap at the end of a slice that is less likely than this, by the market's other gaps, is asked about. */
const unlikely = 1e-4;

/**
 * The rest of a slice to ask for once more, where its candles end long before it does although the market has few
 * intervals without trades. Once the service has confirmed such a gap, the market is taken to be quiet until it has candles
 * again. `now`: milliseconds; nothing is due after it.
 */
function createGapJudge(
  now: number,
): (slice: CandleSlice, candles: readonly Candle[]) => CandleSlice | undefined {
  let [intervals, trades] = [0, 0];
  let isQuiet = false;
  return (slice, candles) => {
    const { interval } = slice;
    const start = wholeSeconds(slice.start);
    const due = Math.min(wholeSeconds(slice.end), now / 1000);
    const last = candles.at(-1)?.opens ?? start - interval;
    if (candles.length > 0) {
      isQuiet = false;
      intervals += (last - start) / interval + 1;
      trades += candles.length;
    }
    const gap = Math.floor((due - last) / interval) - 1;
    const share = intervals === 0 ? 0 : Math.min(1, trades / intervals);
    const isDoubtful = gap > usualGap && !isQuiet && (1 - share) ** gap < unlikely;
    // Asked about now; if it stays, it is what the market is like.
    isQuiet ||= isDoubtful;
    return isDoubtful ? restOf(slice, last) : undefined;
  };
}
