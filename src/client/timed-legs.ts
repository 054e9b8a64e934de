import { candlesOf, type AtRule } from "../api/endpoints/prices.ts";
import type { NoPriceReason } from "../api/record.ts";
import { answerAge, candleReach, isAtLeast, type Tier } from "../api/tier.ts";
import { type Instant, secondsOf } from "../base/time/time.ts";
import type { Candle } from "./candles/slice-answer.ts";
import type { Subject } from "./subject.ts";
import type { Target } from "./target.ts";
import type { SeenKeys } from "./seen-keys.ts";
import { intervalSeconds } from "./candle-windows.ts";
import { type Failure, invalidResponse } from "../base/failure.ts";
import type { ApiRequest } from "../api/endpoint.ts";
import type { Client } from "./client.ts";
import { createPathReader } from "../base/json/path-reader.ts";

export interface TimedAsset extends Subject {
  readonly kind: "token" | "pool";
}

/** Prices of assets at times. A leg is an asset at a time: one per input, and with `quote` a second one. */
export interface TimedPlan {
  readonly rule: Pick<PriceRule, "rule" | "maxAge" | "now">;
  readonly interval: string;
  /** Distinct. */
  readonly assets: readonly TimedAsset[];
  /** `asset` is an index of `assets`. */
  readonly inputs: readonly { readonly asset: number; readonly at: Instant }[];
  /** The inputs' own columns, with the cells of each input. */
  readonly lead:
    | { readonly header: readonly string[]; readonly cells: readonly (readonly string[])[] }
    | undefined;
  /** The asset in which prices are expressed. */
  readonly quote: number | undefined;
  /** Rows have a price in another token, for pools and `quote`. */
  readonly isQuoted: boolean;
  readonly stored: StoredCandles | undefined;
  readonly quotes: QuoteCache;
  /** Judges a 404: if the network is unknown, the failure that it returns says so. */
  readonly judge: (cause: Failure, client: Client, request: ApiRequest) => Promise<Failure>;
  readonly answers: Answers;
}

/** The tokens in which the service expresses the prices of pools, by the name of the pool. */
export type QuoteCache = (service: Service) => {
  readonly tokens: Map<string, string>;
  readonly save: () => void;
};

type Service = Pick<Target, "isSimulated" | "rest">;

/** Complete periods of an asset's candles on the disk, newest first. Reads only periods that contain one of the times. */
export type StoredCandles = (
  service: Service,
  asset: TimedAsset,
  interval: string,
  isWanted: (block: CandleBlock) => boolean,
) => AsyncGenerator<CandleBlock & { readonly candles: readonly Candle[] }>;

/** `quote` is the address of the token in which a pool's price is expressed. */
export type Answer = NoPriceReason | (PricedCandle & { readonly quote?: string | undefined });

type Answers = ReturnType<typeof createAnswers>;

/** Answers by leg. A checkpoint records them, so that a resumed pull does not request their candles again. */
export function createAnswers(legs: number) {
  const known = Array.from({ length: legs }, (): Answer | undefined => undefined);
  let added: number[] = [];
  const seen: SeenKeys = {
    add: () => true,
    has: () => false,
    clear: () => undefined,
    takeAdded: () => {
      if (added.length === 0) return "";
      const answers = added.filter((leg) => known[leg] !== undefined).map((leg) => [leg, known[leg]]);
      added = [];
      return Buffer.from(JSON.stringify(answers)).toString("base64");
    },
    restore: (text) => {
      const read: [leg: number, answer: Answer][] = JSON.parse(Buffer.from(text, "base64").toString());
      for (const [leg, answer] of read) known[leg] = answer;
    },
  };
  return {
    seen,
    get: (leg: number): Answer | undefined => known[leg],
    set: (leg: number, answer: Answer): void => {
      known[leg] = answer;
      added.push(leg);
    },
    /** Call this when the row has been made. A checkpoint counts it, and does not need its answers. */
    forget: (leg: number): void => {
      known[leg] = undefined;
    },
  };
}

export function ruleOf({ rule, interval }: Pick<TimedPlan, "rule" | "interval">, tier: Tier): PriceRule {
  return { ...rule, interval: intervalSeconds(interval), asOf: rule.now - answerAge(tier) };
}

/**
 * The earliest opening of a candle that the plan includes. If it includes none of such an asset, that is not a matter of
 * time, and the service rejects the request.
 */
export function reachAt({ now, interval }: PriceRule, tier: Tier, { kind }: TimedAsset): number {
  const reach = candleReach[tier];
  if (reach === undefined || !isAtLeast(tier, candlesOf[kind].plan)) return Number.NEGATIVE_INFINITY;
  return Math.ceil((now - reach) / interval) * interval;
}

/** The legs of each asset that need candles, from the input at `first` on. `refuse` gets the others. */
export function wantedLegs(
  { inputs, quote }: TimedPlan,
  rule: PriceRule,
  first: number,
  refuse: (leg: number, reason: NoPriceReason) => void,
): Map<number, readonly WantedPrice[]> {
  const wanted = new Map<number, WantedPrice[]>();
  const want = (asset: number, leg: number, at: Instant): void => {
    const seconds = secondsOf(at);
    const reason = reasonOfTime(seconds, rule);
    if (reason !== undefined) return refuse(leg, reason);
    const legs = wanted.get(asset) ?? [];
    const { newest, oldest } = candlesFor(seconds, rule);
    // A list can have many of these; see the decision about spreads in docs/architecture.md.
    legs.push({ leg, newest, oldest });
    wanted.set(asset, legs);
  };
  for (const [index, { asset, at }] of inputs.entries()) {
    if (index < first) continue;
    want(asset, index, at);
    if (quote !== undefined) want(quote, inputs.length + index, at);
  }
  return wanted;
}

/** The number of requests for an asset's candles, if none of its first candles is missing. */
export function countBlocks(wanted: readonly WantedPrice[], bounds: BlockBounds): number {
  let rest = wanted.filter(({ newest }) => newest >= bounds.reach);
  let blocks = 0;
  for (; rest.length > 0; blocks += 1) {
    const block = nextBlock(rest, bounds);
    rest = rest.filter((each) => !isIn(block, each));
  }
  return blocks;
}

/** What the disk has. Returns the legs that are left. */
export async function takeStored(
  { stored, interval }: TimedPlan,
  target: Target,
  asset: TimedAsset,
  wanted: readonly WantedPrice[],
  take: (resolved: Resolved) => Promise<void> | void,
): Promise<readonly WantedPrice[]> {
  let rest = wanted;
  const isWanted = (block: CandleBlock): boolean => rest.some((each) => isIn(block, each));
  for await (const { candles, ...block } of stored?.(target, asset, interval, isWanted) ?? []) {
    const resolved = resolveBlock(rest, block, candles, intervalSeconds(interval));
    await take(resolved);
    ({ rest } = resolved);
  }
  return rest;
}

/** All times and lengths are in seconds. */
export interface PriceRule {
  /**
   * `before`: the close of the newest candle that had closed at the time. `open`: the close of the candle that contains
   * the time, or else of the newest one before it.
   */
  readonly rule: AtRule;
  readonly interval: number;
  /** The maximum time between the close of a candle and the time of the price. */
  readonly maxAge: number;
  readonly now: number;
  /** The newest time that responses are certain to cover. */
  readonly asOf: number;
}

/** `close` and `volume` are the texts of the service. */
export interface PricedCandle {
  readonly opens: number;
  readonly close: string;
  readonly volume: string;
}

/** The texts of a row, so that a price has all its digits. */
export function pricedCandle({ row, opens }: Candle): PricedCandle {
  const [close = "", volume = "0"] = readPrice(row());
  // The row is valid JSON, in which only a number begins with one of these.
  if (!/^[-\d]/u.test(close)) throw invalidResponse("invalid response: a candle has no close");
  return { opens, close: copyOf(close), volume: copyOf(volume) };
}

const readPrice = createPathReader([["close"], ["volume"]]);

/** A part of a text would keep all of it in memory: a response, or a long list of assets. */
export const copyOf = (text: string): string => Buffer.from(text).toString();

/** The openings of the candles that may price a time: the newest, which is the best, and the oldest. */
interface CandleChoice {
  readonly newest: number;
  readonly oldest: number;
}

export function candlesFor(at: number, { rule, interval, maxAge }: PriceRule): CandleChoice {
  const current = Math.floor(at / interval) * interval;
  const newest = rule === "open" ? current : current - interval;
  const oldest = Math.ceil((at - maxAge) / interval - 1) * interval;
  return { newest, oldest: Math.min(oldest, newest) };
}

/** The reason for which candles cannot price this time yet; undefined if they may. */
export function reasonOfTime(at: number, rule: PriceRule): NoPriceReason | undefined {
  if (at > rule.now) return "in_future";
  const closes = candlesFor(at, rule).newest + rule.interval;
  return at > rule.asOf || closes > rule.asOf ? "too_recent" : undefined;
}

/** Between the close of the candle and the time, rounded down. 0 if the candle contains the time. */
export function ageAt(at: number, { opens }: Pick<PricedCandle, "opens">, { interval }: PriceRule): number {
  return Math.max(0, Math.floor(at - opens - interval));
}

/** A time that needs a price, and its place in the input. */
export interface WantedPrice extends CandleChoice {
  readonly leg: number;
}

/** The candles to request next, from the one that opens at `from` to the one that opens at `to`. */
interface CandleBlock {
  readonly from: number;
  readonly to: number;
}

/** The length of a candle, the most candles of a response, and the earliest opening that the plan includes. */
interface BlockBounds {
  readonly interval: number;
  readonly most: number;
  readonly reach: number;
}

const isIn = ({ from, to }: CandleBlock, { newest }: WantedPrice): boolean => newest >= from && newest <= to;

/**
 * The block of up to `most` candles that ends with the newest wanted one. Taking one such block after the other covers
 * all wanted candles with the fewest requests. Its spare candles precede the oldest wanted one, which may not exist.
 */
export function nextBlock(
  wanted: readonly WantedPrice[],
  { interval, most, reach }: BlockBounds,
): CandleBlock {
  const to = wanted.reduce((newest, each) => Math.max(newest, each.newest), Number.NEGATIVE_INFINITY);
  const first = to - (most - 1) * interval;
  const inside = wanted.filter(({ newest }) => newest >= first);
  const oldest = inside.reduce((least, each) => Math.min(least, each.oldest), to);
  return { from: Math.max(first, oldest, Math.ceil(reach / interval) * interval), to };
}

export type Resolved = ReturnType<typeof resolveBlock<Candle>>;

/**
 * Divides wanted times by the candles of a block, in ascending order: those with a candle, those whose candle can only be
 * in an earlier block, and those that have none.
 */
export function resolveBlock<C extends { readonly opens: number }>(
  wanted: readonly WantedPrice[],
  block: CandleBlock,
  candles: readonly C[],
  interval: number,
) {
  const found: { readonly leg: number; readonly candle: C }[] = [];
  const [none, rest]: [WantedPrice[], WantedPrice[]] = [[], []];
  for (const each of wanted) {
    const candle = isIn(block, each) ? candles[lastUpTo(candles, each.newest)] : undefined;
    if (candle !== undefined && candle.opens >= each.oldest) found.push({ leg: each.leg, candle });
    else if (!isIn(block, each)) rest.push(each);
    else if (candle === undefined && each.oldest < block.from)
      rest.push({ ...each, newest: block.from - interval });
    else none.push(each);
  }
  return { found, none, rest };
}

/** The index of the last candle that opens at `time` or before; -1 if there is none. */
function lastUpTo(candles: readonly { readonly opens: number }[], time: number): number {
  let [low, high] = [0, candles.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((candles[middle]?.opens ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
