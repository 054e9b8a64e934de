import { candlesOf, type NoPriceReason } from "../api/endpoints/timed-prices.ts";
import { answerAge, candleReach, isAtLeast, type Tier } from "../api/tier.ts";
import { type Instant, secondsOf } from "../base/time/time.ts";
import type { Subject } from "./subject.ts";
import type { Target } from "./target.ts";
import type { SeenKeys } from "./seen-keys.ts";
import {
  type CandleBlock,
  candlesFor,
  nextBlock,
  pricedCandle,
  type PricedCandle,
  type PriceRule,
  reasonOfTime,
  resolveBlock,
  type WantedPrice,
} from "./candles/price-at.ts";
import { intervalSeconds } from "./candle-intervals.ts";

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
  readonly answers: Answers;
}

/** The tokens in which the service expresses the prices of pools, by pool. */
export interface QuoteCache {
  readonly find: (target: Service, pool: Subject) => string | undefined;
  readonly keep: (target: Service, pool: Subject, token: string) => void;
}

type Service = Pick<Target, "isSimulated" | "rest">;

type Candle = Parameters<typeof pricedCandle>[0];

/** Complete periods of an asset's candles on the disk, newest first. Reads only periods that contain one of the times. */
export type StoredCandles = (
  service: Service,
  asset: TimedAsset,
  interval: string,
  isWanted: (block: CandleBlock) => boolean,
) => AsyncGenerator<CandleBlock & { readonly candles: readonly Candle[] }>;

/** `quote` is the address of the token in which a pool's price is expressed. */
export type Answer = NoPriceReason | (PricedCandle & { readonly quote?: string | undefined });

export type Answers = ReturnType<typeof createAnswers>;

/** Answers by leg. A checkpoint records them, so that a resumed pull does not request their candles again. */
export function createAnswers(legs: number) {
  const known = Array.from({ length: legs }, (): Answer | undefined => undefined);
  let added: number[] = [];
  const seen: SeenKeys = {
    add: () => true,
    has: () => false,
    clear: () => undefined,
    takeAdded: () => {
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
): ReadonlyMap<number, readonly WantedPrice[]> {
  const wanted = new Map<number, WantedPrice[]>();
  const want = (asset: number, leg: number, at: Instant): void => {
    const seconds = secondsOf(at);
    const reason = reasonOfTime(seconds, rule);
    if (reason !== undefined) return refuse(leg, reason);
    const each = { leg, ...candlesFor(seconds, rule) };
    const own = wanted.get(asset);
    if (own === undefined) wanted.set(asset, [each]);
    else own.push(each);
  };
  for (const [index, { asset, at }] of inputs.entries()) {
    if (index < first) continue;
    want(asset, index, at);
    if (quote !== undefined) want(quote, inputs.length + index, at);
  }
  return wanted;
}

/** The number of requests for an asset's candles, if none of its first candles is missing. */
export function countBlocks(
  wanted: readonly WantedPrice[],
  interval: number,
  most: number,
  reach: number,
): number {
  let rest = wanted.filter(({ newest }) => newest >= reach);
  let blocks = 0;
  for (; rest.length > 0; blocks += 1) {
    const { from, to } = nextBlock(rest, { interval, most, reach });
    rest = rest.filter(({ newest }) => newest < from || newest > to);
  }
  return blocks;
}

/** What the disk has. Returns the legs that are left. */
export async function takeStored(
  { stored, interval, rule }: TimedPlan,
  target: Target,
  asset: TimedAsset,
  wanted: readonly WantedPrice[],
  take: (leg: number, answer: Answer) => void,
): Promise<readonly WantedPrice[]> {
  if (stored === undefined) return wanted;
  const seconds = ruleOf({ rule, interval }, target.tier).interval;
  let rest = wanted;
  const isWanted = ({ from, to }: CandleBlock): boolean =>
    rest.some(({ newest }) => newest >= from && newest <= to);
  for await (const { candles, ...block } of stored(target, asset, interval, isWanted)) {
    const resolved = resolveBlock(rest, block, candles, seconds);
    for (const { leg, candle } of resolved.found) take(leg, pricedCandle(candle));
    for (const { leg } of resolved.none) take(leg, "no_trade");
    rest = resolved.rest;
  }
  return rest;
}
