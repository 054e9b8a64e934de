import { showSeconds, wireOf } from "../../base/time/time.ts";
import { asFailure, Failure } from "../../base/failure.ts";
import { grouped } from "../../base/text/words.ts";
import { ended, more, type Page, type PageNote, pageOf, remark } from "../page.ts";
import {
  type Candle,
  candleRows,
  askSlice,
  askWholeSlice,
  createGapJudge,
  isRefusal,
  mayBeCapped,
  planReach,
  type SliceAnswer,
  type SliceRequest,
} from "./slice-answer.ts";
import {
  type CandleSlice,
  candleWindow,
  countOpenings,
  firstTrades,
  restOf,
  sliceBetween,
  wholeSeconds,
  intervalStart,
  type MadeInterval,
} from "../candle-windows.ts";

/** No history is expected beyond this many empty stretches before the time range, each up to `growth` times as long as the last. */
const emptyStretches = 2;
const growth = 10;
/** The share of a response that the next stretch should fill, judging by the previous stretch's candles. */
const targetFill = 0.8;

/** All candles stay in memory, because the oldest ones are output first. */
export async function* countBack(request: SliceRequest): AsyncGenerator<Page> {
  const { args, made, maxLimit } = request;
  const wanted = Number(args.get("count_back")) / (made?.parts ?? 1);
  const held = new HeldCandles(wholeSeconds(candleWindow(args).end), made);
  const ending = await readBack(request, held, wanted).catch(asFailure);
  const notes: PageNote[] = [{ kind: "complete from", seconds: held.completeFrom }];
  if (ending instanceof Failure) {
    // These candles are paid for. No pull can continue after them, because those that are missing come before them.
    if (held.starts.length > 0)
      yield pageOf(candleRows(held.newest(wanted)), { kind: "cut", doubts: [] }, notes);
    throw ending;
  }
  const count = Math.min(held.starts.length, wanted);
  const [few, all] = [count, wanted].map((each) => grouped(String(each)));
  const warning = { kind: "warning", text: `found ${few} of ${all} candles; ${ending}` } as const;
  const atEnd = [...notes, ...(count < wanted ? [warning] : []), ...remark("replaced", held.replaced)];
  // Longer candles are made from all parts at once, because pages may not end within one of them.
  yield* pagesOf(held.newest(wanted), made === undefined ? maxLimit : Number.POSITIVE_INFINITY, notes, atEnd);
}

/**
 * Reads the newest candles first. The time range spans `count_back` intervals. If some had no trades, earlier candles are
 * read in longer and longer stretches. Returns the reason there are no more candles.
 */
async function readBack(request: SliceRequest, held: HeldCandles, wanted: number): Promise<string> {
  const { maxLimit } = request;
  const window = candleWindow(request.args);
  const { interval } = window;
  const withRest = createGapJudge(request);
  const windowStart = wholeSeconds(window.start);
  let reached = wholeSeconds(window.end);
  // In intervals. Responses are full if the range has a candle in each interval.
  let range = ((countOpenings(window) - 1) % maxLimit) + 1;
  let empty = 0;
  while (held.count() < wanted && reached > firstTrades) {
    const start = Math.max(firstTrades, (Math.ceil(reached / interval) - range) * interval);
    const stretch = await readStretch(request, sliceBetween(start, reached, interval)).catch(
      (cause: unknown) => {
        const isFirst = held.completeFrom === Number.POSITIVE_INFINITY;
        if (isFirst || !isRefusal(cause)) throw cause;
      },
    );
    if (stretch === undefined) return "the plan does not include earlier ones";
    const { since, candles } = stretch;
    const isInWindow = reached > windowStart;
    held.take(isInWindow ? await withRest(sliceBetween(since, reached, interval), stretch) : candles);
    empty = isInWindow || candles.length > 0 ? 0 : empty + 1;
    if (empty === emptyStretches)
      return `no candle opens between ${showSeconds(since)} and ${showSeconds(held.oldest)}`;
    reached = since;
    held.completeFrom = reached;
    const fitting = Math.floor((range * maxLimit * targetFill) / Math.max(1, candles.length));
    range = Math.max(maxLimit, Math.min(range * growth, fitting));
  }
  return "there are no earlier ones";
}

interface Stretch extends SliceAnswer {
  /** In Unix seconds. The candles are complete from then on. */
  readonly since: number;
}

/** In seconds. The plan counts from when a request arrives, which may be after a wait for the rate limit. */
const arrival = 300;

/** If the plan does not include the entire stretch, reads the part that it includes. */
async function readStretch(request: SliceRequest, slice: CandleSlice): Promise<Stretch> {
  try {
    return await newestOf(request, slice);
  } catch (cause) {
    const reach = planReach(request) + arrival;
    const part = reach > wholeSeconds(slice.start) ? restOf(slice, reach) : undefined;
    if (part === undefined || !isRefusal(cause)) throw cause;
    return await newestOf(request, part);
  }
}

/**
 * Reads the newest candles of a stretch, at least as many as fit into a response. A service that ignores `count_back`
 * returns the first candles instead, so the later ones are read as well. Another one may count back beyond the start.
 */
async function newestOf(request: SliceRequest, slice: CandleSlice): Promise<Stretch> {
  const start = wholeSeconds(slice.start);
  const count = Math.min(slice.opening, request.maxLimit);
  const query = new Map([...request.args, ["count_back", String(count)]]);
  const first = await askSlice({ ...request, args: query }, slice, true);
  const [oldest, last] = [first[0], first.at(-1)];
  const all = { candles: first, isConfirmed: false, since: Math.min(start, oldest?.opens ?? start) };
  const isCapped = mayBeCapped(request, slice, first.length) && all.since > start - slice.interval;
  if (!isCapped || oldest === undefined || last === undefined) return all;
  const rest = restOf(slice, last.opens);
  const later = rest === undefined ? [] : (await askWholeSlice(request, rest)).candles;
  if (later.length === 0) return { ...all, since: oldest.opens };
  return { candles: [...first, ...later], isConfirmed: true, since: start };
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
