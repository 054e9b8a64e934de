import type { Args } from "../../model/args.ts";
import { type Endpoint, onlyGroup } from "../../model/endpoint.ts";
import { untrustedAnswer } from "../../model/failure.ts";
import type { Reply } from "../../model/reply.ts";
import { type CandleSlice, candleWindow, restOf, slicesOf, wholeSeconds } from "./candle-slices.ts";
import { openingOf, showSeconds } from "./candle-times.ts";
import type { Client } from "../client.ts";
import { inOrder } from "../pages/in-order.ts";
import { createPage, type Page } from "../pages/page.ts";
import { textRows } from "../rows/rows.ts";
import type { Walk } from "../pages/pages.ts";
import type { Place } from "../pages/place.ts";

type Candles = Extract<Reply, { kind: "candles" }>;

/** A row of the service, and when it opens in unix seconds. */
interface Candle {
  readonly opens: number;
  readonly row: string;
  readonly value: object;
}

/** What the walk asks the same way again and again. */
interface Asked {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly args: Args;
  readonly maxLimit: number;
}

/**
 * Any window of candles, in slices of what one answer holds, several of them under way. A candle on the edge of two
 * slices, should the service count `end` in, is given once; one that opens at the very end of the window is not
 * part of it.
 */
export async function* askForCandles(
  client: Client,
  endpoint: Endpoint,
  { maxLimit }: Candles,
  args: Args,
  walk: Walk,
): AsyncGenerator<Page> {
  const asked: Asked = { client, endpoint, args, maxLimit };
  const window = candleWindow(args, walk.start?.value);
  const end = wholeSeconds(window.end);
  let last = Number.NEGATIVE_INFINITY;
  const asks = asksOf(asked, slicesOf(window, maxLimit));
  for await (const { slice, candles } of inOrder(asks, client.width, { firstAlone: true })) {
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
    };
  }
}

function placeOf(start: string): Place {
  return { flag: "from", value: start };
}

interface Answered {
  readonly slice: CandleSlice;
  readonly candles: readonly Candle[];
}

function* asksOf(asked: Asked, slices: Iterable<CandleSlice>): Generator<() => Promise<Answered>> {
  for (const slice of slices) yield async () => ({ slice, candles: await askWholeSlice(asked, slice) });
}

/**
 * Numbers of candles that the public service was seen to stop at, whatever was asked for: a number without `limit`,
 * and an earlier bound of `limit` (wire-facts 4.4).
 */
const knownCaps: ReadonlySet<number> = new Set([10, 366]);

/**
 * The candles of a slice. An answer that may have been capped is followed by a question for the rest: a pool without
 * more trades answers that with nothing, and a silent loss is dearer than a request.
 */
async function askWholeSlice(asked: Asked, slice: CandleSlice): Promise<readonly Candle[]> {
  const isWhole = slice.isLast && slice.start === asked.args.get("start");
  if (isWhole && asked.args.has("count_back")) {
    const candles = await askSlice(asked, slice, true);
    // Counted from the end, what is missing lies before the first candle: then the window is asked from its start.
    if (candles.length >= slice.opening || !knownCaps.has(candles.length)) return candles;
  }
  const candles: Candle[] = [];
  let rest: CandleSlice | undefined = slice;
  while (rest !== undefined) {
    const answer: readonly Candle[] = await askSlice(asked, rest, false);
    candles.push(...answer);
    const mayBeCapped: boolean =
      knownCaps.has(answer.length) || answer.length >= Math.min(rest.touched, asked.maxLimit);
    const last: Candle | undefined = answer.at(-1);
    rest = mayBeCapped && last !== undefined ? restOf(rest, last.opens) : undefined;
  }
  return candles;
}

/**
 * One request. `start` is required by the service, and the public service fills only 10 candles without `limit`,
 * which is therefore the number of candles the slice can hold.
 */
async function askSlice(
  { client, endpoint, args, maxLimit }: Asked,
  slice: CandleSlice,
  isCountedBack: boolean,
): Promise<readonly Candle[]> {
  const { start, end } = slice;
  const limit = String(Math.min(slice.touched, maxLimit));
  const asked = new Map([...args, ["start", start], ["end", end], ["limit", limit]]);
  if (!isCountedBack) asked.delete("count_back");
  const { text, value } = (await client.ask(endpoint, asked)).read();
  const { rows } = createPage(text, value, "candles");
  const candles = rows.values().map((each, index) => ({
    opens: openingOf(each),
    row: rows.text(index),
    value: each,
  }));
  // Counted back, candles may lie before `start`: the service need not look at it.
  refuseMisplaced(candles, slice, isCountedBack ? Number.NEGATIVE_INFINITY : wholeSeconds(start));
  return candles;
}

/**
 * Candles in no order, or of another time than was asked for, would end up in the wrong place, or in place of others.
 * The service may round the bounds outwards to whole candles.
 */
function refuseMisplaced(candles: readonly Candle[], { end, interval }: CandleSlice, start: number): void {
  const earliest = Math.floor(start / interval) * interval;
  const latest = Math.ceil(wholeSeconds(end) / interval) * interval;
  let before = Number.NEGATIVE_INFINITY;
  for (const { opens } of candles) {
    if (opens < before) {
      throw untrustedAnswer(
        `the candles are not in order: ${showSeconds(opens)} comes after ${showSeconds(before)}`,
      );
    }
    if (opens < earliest || opens > latest) {
      const asked = `${Number.isFinite(start) ? `from ${showSeconds(start)} ` : ""}to ${showSeconds(wholeSeconds(end))}`;
      throw untrustedAnswer(`the service sent a candle of ${showSeconds(opens)}; asked for was ${asked}`);
    }
    before = opens;
  }
}
