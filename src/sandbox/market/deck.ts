import { hash, mix, toUnit } from "./hash.ts";

/**
 * One deck of cards determines the kind and relative size of every transaction. Each pool deals it again and again,
 * starting at its own cut, so the totals of any range of transactions are differences of two running totals.
 */
export const CARDS = 16_384;

/** A card without `buy`, `add` and `remove` is a swap that sells token0. */
export const Flag = {
  buy: 1,
  add: 2,
  remove: 4,
  /** Belongs to the same transaction as the previous card. */
  follows: 8,
  /** The service returns no USD value for this row. */
  noUsd: 16,
  liquidity: 6,
} as const;

// At each cut, there is a plain swap that starts a transaction.
const CUT_EVERY = 64;

/** A place at which a pool may start to deal. `unit` is in [0, 1). */
export function cutAt(unit: number): number {
  return Math.floor(unit * (CARDS / CUT_EVERY)) * CUT_EVERY;
}

const KEY = 0x3ad8025f;
const SPREAD = 1.4;

export const deck = makeDeck();

function makeDeck() {
  const made = {
    flags: new Uint8Array(CARDS),
    /** USD size relative to the median. */
    sizes: new Float64Array(CARDS),
    // Sums over all cards before an index. Sizes of swaps count only where the service returns USD values.
    swaps: new Float64Array(CARDS + 1),
    buys: new Float64Array(CARDS + 1),
    volume: new Float64Array(CARDS + 1),
    buyVolume: new Float64Array(CARDS + 1),
  };
  let followers = 0;
  for (let card = 0; card < CARDS; card += 1) {
    const traits = hash(KEY, card);
    const flags = makeFlags(traits, card, followers);
    const size = makeSize(mix(traits ^ 0x165667b1));
    const isSwap = (flags & Flag.liquidity) === 0;
    const isBuy = (flags & Flag.buy) !== 0;
    const counted = isSwap && (flags & Flag.noUsd) === 0 ? size : 0;
    followers = (flags & Flag.follows) === 0 ? 0 : followers + 1;
    made.flags[card] = flags;
    made.sizes[card] = size;
    accumulate(made.swaps, card, Number(isSwap));
    accumulate(made.buys, card, Number(isBuy));
    accumulate(made.volume, card, counted);
    accumulate(made.buyVolume, card, isBuy ? counted : 0);
  }
  return made;
}

function accumulate(sums: Float64Array, index: number, value: number): void {
  sums[index + 1] = (sums[index] ?? 0) + value;
}

/** 2% follow in the same transaction, 3% have no USD value, 2% add liquidity, 1.5% remove it. */
function makeFlags(traits: number, card: number, followers: number): number {
  const isCut = card % CUT_EVERY === 0;
  let flags = 0;
  // A transaction has at most three events.
  if (!isCut && followers < 2 && (traits & 1023) < 20) flags |= Flag.follows;
  if (((traits >>> 10) & 1023) < 31) flags |= Flag.noUsd;
  const kind = (traits >>> 20) & 1023;
  if (!isCut && kind < 20) return flags | Flag.add;
  if (!isCut && kind < 36) return flags | Flag.remove;
  return traits < 0 ? flags | Flag.buy : flags;
}

/** Log-normal: most swaps are small, and a few make up most of the volume. Approximated by Winitzki's formula. */
function makeSize(word: number): number {
  const side = 2 * toUnit(word) - 1 + 2 ** -33;
  const logarithm = Math.log(1 - side * side);
  const half = 2 / (Math.PI * 0.147) + logarithm / 2;
  const quantile =
    Math.sign(side) * Math.SQRT2 * Math.sqrt(Math.sqrt(half * half - logarithm / 0.147) - half);
  return Math.exp(SPREAD * quantile);
}
