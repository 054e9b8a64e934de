import type { Args } from "../../contract/args.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { untrustedAnswer } from "../../contract/failure.ts";
import type { Client } from "../client.ts";
import { createPage } from "../pages/page.ts";
import { type CandleSlice, restOf, wholeSeconds } from "./candle-slices.ts";
import { openingOf, showSeconds } from "./candle-times.ts";

/** A row of the service, and when it opens in unix seconds. */
export interface Candle {
  readonly opens: number;
  readonly row: string;
  readonly value: object;
}

/** What the walk asks the same way again and again. */
export interface Asked {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly args: Args;
  readonly maxLimit: number;
}

/**
 * Numbers of candles that the public service was seen to stop at, whatever was asked for: a number without `limit`,
 * and an earlier bound of `limit` (wire-facts 4.4).
 */
const knownCaps: ReadonlySet<number> = new Set([10, 366]);

/** Whether so many candles in answer to this slice may not be all of them. */
export function mayBeCapped({ maxLimit }: Asked, { touched }: CandleSlice, candles: number): boolean {
  return knownCaps.has(candles) || candles >= Math.min(touched, maxLimit);
}

/**
 * The candles of a slice. An answer that may have been capped is followed by a question for the rest: a pool without
 * more trades answers that with nothing, and a silent loss is dearer than a request.
 */
export async function askWholeSlice(asked: Asked, slice: CandleSlice): Promise<readonly Candle[]> {
  return (await askUntilWhole(asked, slice)).candles;
}

/** The same. `isConfirmed`: the service was asked what follows the last of them. */
export async function askUntilWhole(
  asked: Asked,
  slice: CandleSlice,
): Promise<{ readonly candles: readonly Candle[]; readonly isConfirmed: boolean }> {
  const candles: Candle[] = [];
  for (let rest = slice, requests = 1; ; requests += 1) {
    const answer = await askSlice(asked, rest);
    candles.push(...answer);
    const last = mayBeCapped(asked, rest, answer.length) ? answer.at(-1) : undefined;
    const after = last === undefined ? undefined : restOf(rest, last.opens);
    if (after === undefined) return { candles, isConfirmed: requests > 1 };
    rest = after;
  }
}

/** So many of the newest candles of the slice, counted by the service; all of them if it does not count back. */
export async function askCountedBack(asked: Asked, slice: CandleSlice): Promise<readonly Candle[]> {
  const candles = await askSlice(asked, slice, true);
  // Counted from the end, what is missing lies before the first candle: then the window is asked from its start.
  const isCut = candles.length < slice.opening && knownCaps.has(candles.length);
  return isCut ? await askWholeSlice(asked, slice) : candles;
}

/**
 * One request. `start` is required by the service, and the public service fills only 10 candles without `limit`,
 * which is therefore the number of candles the slice can hold. A response with candles of another time is one of another
 * slice: it is requested again.
 */
export async function askSlice(
  asked: Asked,
  slice: CandleSlice,
  isCountedBack = false,
): Promise<readonly Candle[]> {
  const { client, endpoint, args, maxLimit } = asked;
  const { start, end } = slice;
  const limit = String(Math.min(slice.touched, maxLimit));
  const query = new Map([...args, ["start", start], ["end", end], ["limit", limit]]);
  if (!isCountedBack) query.delete("count_back");
  for (let repeats = 1; ; repeats += 1) {
    const { text, value } = (await client.ask(endpoint, query)).read();
    const { rows } = createPage(text, value, "candles");
    const candles = rows.values().map((each, index) => ({
      opens: openingOf(each),
      row: rows.text(index),
      value: each,
    }));
    // Counted back, candles may lie before `start`: the service need not look at it.
    const problem = misplaced(candles, slice, isCountedBack ? Number.NEGATIVE_INFINITY : wholeSeconds(start));
    if (problem === undefined) return candles;
    if (!(await client.again(repeats, problem))) throw untrustedAnswer(problem);
  }
}

/**
 * Candles in no order, or of another time than was asked for, would end up in the wrong place, or in place of others.
 * The service may round the bounds outwards to whole candles.
 */
function misplaced(
  candles: readonly Candle[],
  { end, interval }: CandleSlice,
  start: number,
): string | undefined {
  const earliest = Math.floor(start / interval) * interval;
  const latest = Math.ceil(wholeSeconds(end) / interval) * interval;
  let before = Number.NEGATIVE_INFINITY;
  for (const { opens } of candles) {
    if (opens < before)
      return `the candles are not in order: ${showSeconds(opens)} comes after ${showSeconds(before)}`;
    if (opens < earliest || opens > latest) {
      const asked = `${Number.isFinite(start) ? `from ${showSeconds(start)} ` : ""}to ${showSeconds(wholeSeconds(end))}`;
      return `the service sent a candle of ${showSeconds(opens)}; asked for was ${asked}`;
    }
    before = opens;
  }
  return undefined;
}
