import { makeAddress, makeBlockHash, makeTransactionId, readTransactionWord } from "./addresses.ts";
import { Flag } from "./deck.ts";
import { belowAt, hash, hashText, mix, toUnit, unmix } from "./hash.ts";
import { blockNumberAt, blockTime } from "./history.ts";
import { flagsOf, headOf, lastRowAt, sizeOf, timeOf } from "./trades.ts";
import type { Pool } from "./pool.ts";
import { compareKeys, type Transaction, type TransactionKey } from "./types.ts";
import { priceAfter, usdAfter } from "./usd.ts";
import type { NetworkFacts } from "../well-known.ts";

const TRADERS = 4000;

/** The ID encodes the row. The complete ID is compared, so a wrong ID matches nothing. In ascending order. */
export function rowsWithId(pool: Pool, id: string, to: number): number[] {
  const head = rowOfId(pool, id, ofTransactions);
  const last = lastRowAt(pool, to);
  if (head === undefined || headOf(pool, head) !== head) return [];
  const found: number[] = [];
  for (let row = head; row <= last && headOf(pool, row) === head; row += 1) found.push(row);
  return found;
}

/** The newest row at or before `to`, and strictly before `before`; -1 if there is none. */
export function lastRowBefore(pool: Pool, to: number, before: TransactionKey | undefined): number {
  const second = before === undefined ? Number.POSITIVE_INFINITY : blockTime(pool.clock, before.blockNumber);
  let row = lastRowAt(pool, Math.min(to, second));
  if (before === undefined) return row;
  while (row >= 0 && timeOf(pool, row) === second && compareKeys(keyOf(pool, row), before) >= 0) row -= 1;
  return row;
}

/** Only the pool's first index in a block is generated. Each later transaction adds a gap and six log indexes. */
export function keyOf(pool: Pool, row: number, time = timeOf(pool, row)): TransactionKey {
  const blockNumber = blockNumberAt(pool.clock, time);
  const head = headOf(pool, row);
  let transactionIndex = belowAt(pool.key, blockNumber, 120);
  for (let earlier = head - 1; earlier >= 0 && timeOf(pool, earlier) === time; earlier -= 1) {
    if (headOf(pool, earlier) === earlier) transactionIndex += 1 + belowAt(pool.key ^ 0x7f4a7c15, earlier, 7);
  }
  const logIndex = transactionIndex * 6 + (row - head) * 2 + (hash(pool.key, blockNumber + row) & 1);
  return { blockNumber, transactionIndex, logIndex };
}

/** The hashes from which the IDs of one kind are made. */
interface IdKeys {
  readonly word: number;
  readonly rest: number;
}

const ofTransactions: IdKeys = { word: -3, rest: 0x94d049bb };
/** The IDs of the additional rows that follow a row for a while (`withdrawn-rows`). */
export const ofCopies: IdKeys = { word: -5, rest: 0x6c62272e };

export function makeId(pool: Pool, row: number, { word, rest }: IdKeys): string {
  const encoded = mix(row ^ hash(pool.key, word));
  return makeTransactionId(pool.network.addressFamily, encoded, hash(pool.key ^ rest, row));
}

/** Undefined if no row has this ID. */
export function rowOfId(pool: Pool, id: string, keys: IdKeys): number | undefined {
  const word = readTransactionWord(pool.network.addressFamily, id);
  if (word === undefined) return undefined;
  const row = (unmix(word) ^ hash(pool.key, keys.word)) >>> 0;
  return makeId(pool, row, keys) === id ? row : undefined;
}

export function makeTransaction(pool: Pool, row: number): Transaction {
  const { network } = pool;
  const [token0, token1] = pool.tokens;
  const head = headOf(pool, row);
  const time = timeOf(pool, row);
  const flags = flagsOf(pool, row);
  const isLiquidity = (flags & Flag.liquidity) !== 0;
  const isIn = isLiquidity ? (flags & Flag.add) !== 0 : (flags & Flag.buy) === 0;
  const word = hash(pool.key ^ 0x3c6ef372, row);
  const headWord = hash(pool.key ^ 0x3c6ef372, head);
  const price = priceAfter(pool, row);
  const usd0 = usdAfter(token0, pool, row, time);
  const usd1 = usdAfter(token1, pool, row, time);
  // The larger side that has a price is the size.
  const usd = Math.max(token0.isPriced ? usd0 : 0, token1.isPriced ? price * usd1 : 0) || usd0;
  const size0 = Math.max(1, Math.round((sizeOf(pool, row) / usd) * 10 ** token0.decimals));
  const size1 = Math.max(1, Math.round((size0 / 10 ** token0.decimals) * price * 10 ** token1.decimals));
  const raw0 = makeRaw(size0, word);
  const raw1 = makeRaw(size1, mix(word));
  const hasUsd = (flags & Flag.noUsd) === 0;
  const sender = traderAt(network, (headWord >>> 0) % TRADERS);
  const isDirect = toUnit(mix(headWord)) < 0.6;
  const { blockNumber, transactionIndex, logIndex } = keyOf(pool, row, time);
  return {
    blockNumber,
    transactionIndex,
    logIndex,
    kind: isLiquidity ? ((flags & Flag.add) === 0 ? "remove" : "add") : "swap",
    pool,
    id: makeId(pool, head, ofTransactions),
    time,
    sender,
    recipient: isDirect ? sender : traderAt(network, -1 - (word & 15)),
    amount0: isIn ? raw0 : -raw0,
    amount1: (isLiquidity ? isIn : !isIn) ? raw1 : -raw1,
    price0: price,
    price1: 1 / price,
    price0Usd: hasUsd && token0.isPriced ? usd0 : undefined,
    price1Usd: hasUsd && token1.isPriced ? usd1 : undefined,
  };
}

/**
 * Only one dialect includes the hash, so it is not part of every row. The block of a fork is replaced by another one
 * with the same number.
 */
export function blockHashOf({ pool, blockNumber }: Transaction, isFork: boolean): string {
  const { network } = pool;
  const key = tradersKey(network) ^ (isFork ? 0x5be0cd19 : 0x1f83d9ab);
  return makeBlockHash(network.addressFamily, hash(key, blockNumber));
}

/** One of a network's few thousand traders, or a router for a negative number. */
function traderAt(network: NetworkFacts, place: number): string {
  return makeAddress(network.addressFamily, hash(tradersKey(network), place));
}

function tradersKey(network: NetworkFacts): number {
  return hashText(network.addressFamily.length, network.id);
}

/** Adds digits beyond a double's precision, which are lost by clients that parse amounts as doubles. */
function makeRaw(raw: number, word: number): bigint {
  const whole = BigInt(raw);
  if (raw <= Number.MAX_SAFE_INTEGER) return whole;
  const slack = whole >> 53n;
  return whole + (slack === 0n ? 0n : BigInt(word >>> 0) % (slack + 1n));
}
