import { showSeconds, wireOf } from "../../base/time/time.ts";
import { Failure } from "../../base/failure.ts";
import { candleReach } from "../../api/tier.ts";
import { grouped } from "../../base/text/words.ts";
import { inOrder } from "../../base/concurrent.ts";
import { ended, more, type Page, type PageNote, pageOf, remark, warningOf } from "../page.ts";
import {
  type Candle,
  candleRows,
  askCountedBack,
  askIncludedSlice,
  type SliceRequest,
  askSlice,
  askWholeSlice,
  createGapJudge,
  mayBeCapped,
} from "./slice-answer.ts";
import {
  type CandleSlice,
  candleWindow,
  firstTrades,
  restOf,
  sliceBetween,
  slicesOf,
  wholeSeconds,
  intervalStart,
  type MadeInterval,
} from "../candle-windows.ts";

/** No history is expected beyond this many empty stretches in a row, each up to `growth` times as long as the last. */
const emptyStretches = 2;
const growth = 10;
/** The share of a response that the next stretch should fill, judging by the previous stretch's candles. */
const targetFill = 0.8;

/**
 * The time range spans `count_back` intervals. If some had no trades, earlier candles are read in longer and longer
 * stretches. All candles stay in memory, because the oldest ones are output first.
 */
export async function* countBack(request: SliceRequest): AsyncGenerator<Page> {
  const { args, made, maxLimit } = request;
  const wanted = Number(args.get("count_back")) / (made?.parts ?? 1);
  const held = new HeldCandles(wholeSeconds(candleWindow(args).end), made);
  const ending = (await readWindow(request, held)) ?? (await readBefore(request, held, wanted));
  const count = Math.min(held.starts.length, wanted);
  const [few, all] = [count, wanted].map((each) => grouped(String(each)));
  const warning = count < wanted ? `found ${few} of ${all} candles; ${ending}` : undefined;
  const notes: PageNote[] = [{ kind: "complete from", seconds: held.completeFrom }];
  const atEnd = [...notes, ...warningOf(warning), ...remark("replaced", held.replaced)];
  // Longer candles are made from all parts at once, because pages may not end within one of them.
  yield* pagesOf(held.newest(wanted), made === undefined ? maxLimit : Number.POSITIVE_INFINITY, notes, atEnd);
}

const planEnds = "the plan does not include earlier ones";

/** Reads the newest candles first. Stops if the plan includes no older ones; fails if it includes none at all. */
async function readWindow(request: SliceRequest, held: HeldCandles): Promise<string | undefined> {
  const withRest = createGapJudge(request);
  const slices = [...slicesOf(candleWindow(request.args), request.maxLimit)].toReversed();
  const read = slices.length === 1 ? askCountedBack : askWholeSlice;
  const asks = slices.map((slice, index) => async () => {
    if (index > 0) return await withinReach(request, slice, askWholeSlice);
    return { slice, answer: await askIncludedSlice(request, slice, read) };
  });
  for await (const { slice, answer } of inOrder(asks, request.client.width, { firstAlone: true })) {
    if (answer === undefined) return planEnds;
    held.take(await withRest(slice, answer));
    // A service may count back beyond the start.
    const oldest = answer.candles[0]?.opens ?? Number.POSITIVE_INFINITY;
    held.completeFrom = Math.min(wholeSeconds(slice.start), oldest);
  }
  return undefined;
}

/** Returns the reason there are no more candles. */
async function readBefore(request: SliceRequest, held: HeldCandles, wanted: number): Promise<string> {
  const { maxLimit } = request;
  const { interval } = candleWindow(request.args);
  let reached = held.completeFrom;
  // In intervals.
  let range = maxLimit;
  let empty = 0;
  while (held.count() < wanted && reached > firstTrades) {
    const start = Math.max(firstTrades, reached - range * interval);
    const stretch = sliceBetween(start, reached, interval);
    const { slice, answer } = await withinReach(request, stretch, newestOf);
    if (answer === undefined) return planEnds;
    const { candles } = answer;
    const since = "since" in answer ? answer.since : wholeSeconds(slice.start);
    held.take(candles);
    empty = candles.length === 0 ? empty + 1 : 0;
    if (empty === emptyStretches)
      return `no candle opens between ${showSeconds(since)} and ${showSeconds(held.oldest)}`;
    reached = since;
    held.completeFrom = reached;
    const fitting = Math.floor((range * maxLimit * targetFill) / Math.max(1, candles.length));
    range = Math.max(maxLimit, Math.min(range * growth, fitting));
  }
  return "there are no earlier ones";
}

/**
 * Reads the newest candles of a stretch, at least as many as fit into a response. They are complete from `since` on. A
 * service that ignores `count_back` returns the first candles instead, so the later ones are read as well.
 */
async function newestOf(request: SliceRequest, slice: CandleSlice) {
  const query = new Map([...request.args, ["count_back", String(request.maxLimit)]]);
  const first = await askSlice({ ...request, args: query }, slice, true);
  const [oldest, last] = [first[0], first.at(-1)];
  const start = wholeSeconds(slice.start);
  if (!mayBeCapped(request, slice, first.length) || oldest === undefined || last === undefined)
    return { candles: first, since: start };
  const rest = restOf(slice, last.opens);
  const later = rest === undefined ? [] : (await askWholeSlice(request, rest)).candles;
  if (later.length === 0) return { candles: first, since: oldest.opens };
  return { candles: [...first, ...later], since: start };
}

/** In seconds. The plan counts from when a request arrives, which may be after a wait for the rate limit. */
const arrival = 300;

/** If the plan does not include the entire slice, reads the part that it includes; `answer` is undefined if there is none. */
async function withinReach<T>(
  request: SliceRequest,
  slice: CandleSlice,
  read: (request: SliceRequest, slice: CandleSlice) => Promise<T>,
) {
  const answer = await unlessRefused(async () => await read(request, slice));
  if (answer !== undefined) return { slice, answer };
  const { client, list } = request;
  const now = list.kind === "candles" ? list.now / 1000 : Number.NaN;
  const reach = now - (candleReach[client.target.tier] ?? Number.NaN) + arrival;
  const part = reach > wholeSeconds(slice.start) ? restOf(slice, reach) : undefined;
  if (part === undefined) return { slice, answer };
  return { slice: part, answer: await unlessRefused(async () => await askWholeSlice(request, part)) };
}

/** Returns undefined if the plan does not include candles this old. */
async function unlessRefused<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof Failure && cause.status === 403) return undefined;
    throw cause;
  }
}

class HeldCandles {
  /** With copies of their rows, so that no response stays in memory. */
  readonly newestFirst: Candle[] = [];
  /** When the candles open for which these are requested, from the newest on; in Unix seconds. */
  readonly starts: number[] = [];
  /** In Unix seconds. No candle is missing after this time. */
  completeFrom = Number.POSITIVE_INFINITY;
  /** Candles that were dropped for another one with the same time and other values. */
  replaced = 0;
  readonly #end: number;
  readonly #made: MadeInterval | undefined;

  constructor(end: number, made: MadeInterval | undefined) {
    [this.#end, this.#made] = [end, made];
  }

  /** In Unix seconds; the end of the range if there are no candles yet. */
  get oldest(): number {
    return this.newestFirst.at(-1)?.opens ?? this.#end;
  }

  /** The oldest of the made candles does not count while a part of it may be missing. */
  count(): number {
    const isCut = this.#made !== undefined && (this.starts.at(-1) ?? 0) < this.completeFrom;
    return isCut ? this.starts.length - 1 : this.starts.length;
  }

  /** All candles for the `wanted` newest ones, oldest first. */
  newest(wanted: number): readonly Candle[] {
    const first = this.starts[wanted - 1] ?? Number.NEGATIVE_INFINITY;
    return this.newestFirst.filter(({ opens }) => opens >= first).toReversed();
  }

  /** The candles are sorted and older than those added before. */
  take(candles: readonly Candle[]): void {
    for (const { opens, row } of candles.toReversed()) {
      const text = row();
      if (opens >= this.oldest) {
        // The candle is on the boundary between two slices, or was sent twice in one response.
        if (opens === this.newestFirst.at(-1)?.opens && text !== this.newestFirst.at(-1)?.row())
          this.replaced += 1;
        continue;
      }
      this.newestFirst.push({ opens, row: () => text });
      const start = this.#made === undefined ? opens : intervalStart(opens, this.#made.length);
      if (start !== this.starts.at(-1)) this.starts.push(start);
    }
  }
}

type Notes = readonly PageNote[];

function* pagesOf(candles: readonly Candle[], size: number, notes: Notes, atEnd: Notes): Generator<Page> {
  for (let from = 0; from === 0 || from < candles.length; from += size) {
    const next = candles[from + size]?.opens;
    const page = candleRows(candles.slice(from, from + size));
    if (next === undefined) yield pageOf(page, ended("end of list"), atEnd);
    else yield pageOf(page, more({ flag: "from", value: wireOf(next) }), notes);
  }
}
