import { onlyGroup } from "../../contract/endpoint.ts";
import { Failure } from "../../contract/failure.ts";
import { isObject } from "../../json/own-member.ts";
import { grouped } from "../../text/counted.ts";
import { toWire } from "../../time/time.ts";
import { inOrder } from "../pages/in-order.ts";
import type { Page } from "../pages/page.ts";
import type { Walk } from "../pages/pages.ts";
import { textRows } from "../rows/rows.ts";
import {
  type CandleSlice,
  type CandleWindow,
  candleWindow,
  restOf,
  sliceBetween,
  slicesOf,
  wholeSeconds,
} from "./candle-slices.ts";
import { showSeconds } from "./candle-times.ts";
import { createGapJudge, type GapJudge } from "./gap-judge.ts";
import {
  type Asked,
  askCountedBack,
  askSlice,
  askWholeSlice,
  type Candle,
  mayBeCapped,
} from "./slice-answer.ts";

/** Stretches without a candle in a row, each ten times as long as the one before, that a market's history ends with. */
const emptyStretches = 2;
const growth = 10;
/** The part of a response that a stretch is made to fill, by what the one before held. */
const aimedAt = 0.8;

/**
 * The newest `count_back` candles before the end of the window. The window holds that many intervals; where some had no
 * trade, the candles before it follow, in longer and longer stretches, until there are enough, the plan allows no more,
 * or two stretches in a row are empty. They are held until all are there, because the oldest come first.
 */
export async function* countBack(asked: Asked, { candles }: Walk): AsyncGenerator<Page> {
  const window = candleWindow(asked.args);
  const wanted = Number(asked.args.get("count_back"));
  const held = createHeldCandles(wholeSeconds(window.end));
  const gaps = createGapJudge(candles?.now);
  const ending = (await readWindow(asked, held, gaps)) ?? (await readBefore(asked, held, window, wanted));
  const found = held.newest(wanted);
  const [few, all] = [found.length, wanted].map((count) => grouped(String(count)));
  const warning =
    found.length < wanted ? `found ${few} of ${all} candles; ${ending ?? noneEarlier}` : undefined;
  yield* pagesOf(found, asked.maxLimit, warning);
}

const noneEarlier = "there are no earlier ones";
const planEnds = "the plan does not include earlier ones";

/** All intervals of the window, the newest first. What the plan does not include ends it, unless that is everything. */
async function readWindow(asked: Asked, held: HeldCandles, gaps: GapJudge): Promise<string | undefined> {
  const slices = [...slicesOf(candleWindow(asked.args), asked.maxLimit)].toReversed();
  const read = slices.length === 1 ? askCountedBack : askWholeSlice;
  const asks = slices.map((slice, index) => async () => ({
    slice,
    candles: await (index === 0 ? read(asked, slice) : withinReach(async () => await read(asked, slice))),
  }));
  for await (const { slice, candles } of inOrder(asks, asked.client.width, { firstAlone: true })) {
    if (candles === undefined) return planEnds;
    const rest = gaps.restInDoubt(slice, candles);
    const later = rest === undefined ? [] : await askWholeSlice(asked, rest);
    if (rest !== undefined) gaps.settle(later);
    held.take([...candles, ...later]);
  }
  return undefined;
}

/** What lies before the window, until there are enough. Returns why there are not. */
async function readBefore(
  asked: Asked,
  held: HeldCandles,
  { start: windowStart, interval }: CandleWindow,
  wanted: number,
): Promise<string | undefined> {
  const { maxLimit } = asked;
  let reached = wholeSeconds(windowStart);
  // In intervals.
  let stretch = maxLimit;
  let empty = 0;
  while (held.count() < wanted && reached > 0) {
    const start = Math.max(0, reached - stretch * interval);
    const found = await withinReach(
      async () => await newestOf(asked, sliceBetween(start, reached, interval)),
    );
    if (found === undefined) return planEnds;
    held.take(found.candles);
    empty = found.candles.length === 0 ? empty + 1 : 0;
    if (empty === emptyStretches)
      return `none between ${showSeconds(start)} and ${showSeconds(held.oldest())}`;
    reached = found.since;
    const fitting = Math.floor((stretch * maxLimit * aimedAt) / Math.max(1, found.candles.length));
    stretch = Math.max(maxLimit, Math.min(stretch * growth, fitting));
  }
  return undefined;
}

/**
 * The newest candles of a stretch, as many as a response holds or more; `since`: all that opened at or after this time. A
 * service that does not count back fills a response from the start of the stretch: then what follows is read, too.
 */
async function newestOf(
  asked: Asked,
  slice: CandleSlice,
): Promise<{ readonly candles: readonly Candle[]; readonly since: number }> {
  const query = new Map([...asked.args, ["count_back", String(asked.maxLimit)]]);
  const first = await askSlice({ ...asked, args: query }, slice, true);
  const [oldest, last] = [first[0], first.at(-1)];
  const start = wholeSeconds(slice.start);
  if (!mayBeCapped(asked, slice, first.length) || oldest === undefined || last === undefined)
    return { candles: first, since: start };
  const rest = restOf(slice, last.opens);
  const later = rest === undefined ? [] : await askWholeSlice(asked, rest);
  if (later.length === 0) return { candles: first, since: oldest.opens };
  return { candles: [...first, ...later], since: start };
}

/** Undefined where the plan does not reach back that far. */
async function withinReach<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof Failure && cause.status === 403) return undefined;
    throw cause;
  }
}

interface HeldCandles {
  /** Takes candles that lie before those taken so far, in their order. */
  readonly take: (candles: readonly Candle[]) => void;
  readonly count: () => number;
  /** Unix seconds: when the oldest opens, or the end of the window. */
  readonly oldest: () => number;
  /** The newest so many, the oldest of them first. */
  readonly newest: (count: number) => readonly Row[];
}

/** Without the parsed form, which takes several times the room. */
type Row = Pick<Candle, "opens" | "row">;

function createHeldCandles(end: number): HeldCandles {
  const newestFirst: Row[] = [];
  let oldest = end;
  return {
    take: (candles) => {
      for (const { opens, row } of candles.toReversed()) {
        // A candle at the edge of two slices, or twice in one answer.
        if (opens >= oldest) continue;
        newestFirst.push({ opens, row });
        oldest = opens;
      }
    },
    count: () => newestFirst.length,
    oldest: () => oldest,
    newest: (count) => newestFirst.slice(0, count).toReversed(),
  };
}

function* pagesOf(rows: readonly Row[], size: number, warning: string | undefined): Generator<Page> {
  for (let from = 0; from === 0 || from < rows.length; from += size) {
    const next = rows[from + size]?.opens;
    yield {
      group: onlyGroup,
      rows: textRows(rows.slice(from, from + size).map(({ row }) => ({ row, value: parsed(row) }))),
      next: next === undefined ? undefined : { flag: "from", value: toWire({ seconds: next, fraction: "" }) },
      ...(next === undefined && { proof: "end of list", warning }),
    };
  }
}

function parsed(row: string): object {
  const value: unknown = JSON.parse(row);
  return isObject(value) ? value : {};
}
