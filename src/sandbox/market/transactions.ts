import { makeAddress, makeBlockHash, makeTransactionId, readTransactionWord } from "./addresses.ts";
import { belowAt, hash, hashText, mix, toUnit, unmix } from "./hash.ts";
import { blockNumberAt, blockTime, DAY, FIRST_DAY, LAST_DAY, type MarketPool } from "./pool-catalogue.ts";
import { cell, Column, countTrades, dayKey, Flag, lastRowAt } from "./trade-rows.ts";
import type { TradeBook, TradeDay } from "./trade-rows.ts";
import { compareKeys, type NetworkFacts, type Transaction } from "./types.ts";
import type { TransactionKey, TransactionWindow } from "./types.ts";

const TRADERS = 4000;

/** Newest first. Days that are skipped entirely are only counted, not generated. */
export function listTransactions(
  book: TradeBook,
  pool: MarketPool,
  window: TransactionWindow,
): Transaction[] {
  const from = Math.max(window.from ?? 0, pool.tradesFrom);
  let skip = window.skip ?? 0;
  const found: Transaction[] = [];
  let { day, end } = endOfWindow(book, pool, window);
  for (; day >= Math.floor(from / DAY) && found.length < window.limit; day -= 1, end = undefined) {
    const startsInside = day * DAY >= from;
    const rows = startsInside && end === undefined ? countTrades(pool, day) : undefined;
    if (rows !== undefined && rows <= skip) {
      skip -= rows;
      continue;
    }
    const trades = book.day(pool, day);
    const first = startsInside ? 0 : lastRowAt(trades, from - day * DAY - 1) + 1;
    const inside = Math.max(0, (end ?? trades.count) - first);
    const skipped = Math.min(skip, inside);
    skip -= skipped;
    for (let row = first + inside - skipped - 1; row >= first && found.length < window.limit; row -= 1) {
      found.push(makeTransaction(pool, day, trades, row));
    }
  }
  return found;
}

/** Both ends are inclusive. */
export function countTransactions(book: TradeBook, pool: MarketPool, from: number, to: number): number {
  const start = Math.max(Math.ceil(from), pool.tradesFrom);
  const last = Math.min(Math.floor(to), LAST_DAY * DAY);
  if (last < start) return 0;
  const firstDay = Math.floor(start / DAY);
  const lastDay = Math.floor(last / DAY);
  let count = lastRowAt(book.day(pool, lastDay), last - lastDay * DAY) + 1;
  for (let day = firstDay; day < lastDay; day += 1) count += countTrades(pool, day);
  return count - (lastRowAt(book.day(pool, firstDay), start - firstDay * DAY - 1) + 1);
}

/** The ID encodes the day and the row. The complete ID is compared, so a wrong ID matches nothing. */
export function findTransactions(book: TradeBook, pool: MarketPool, id: string, to: number): Transaction[] {
  const word = readTransactionWord(pool.facts.network.addressFamily, id);
  if (word === undefined) return [];
  const place = (unmix(word) ^ hash(pool.key, -3)) >>> 0;
  const day = FIRST_DAY + (place >>> 16);
  const head = place & 0xffff;
  if (day * DAY > to || head >= countTrades(pool, day)) return [];
  const trades = book.day(pool, day);
  if (day * DAY + cell(trades, head, Column.second) > to || makeId(pool, day, head) !== id) return [];
  if ((cell(trades, head, Column.flags) & Flag.follows) !== 0) return [];
  const found = [makeTransaction(pool, day, trades, head)];
  for (
    let row = head + 1;
    row < trades.count && (cell(trades, row, Column.flags) & Flag.follows) !== 0;
    row += 1
  ) {
    found.unshift(makeTransaction(pool, day, trades, row));
  }
  return found;
}

/** The window's last day, and the index of the first row after the window; undefined if the entire day is inside. */
function endOfWindow(
  book: TradeBook,
  pool: MarketPool,
  window: TransactionWindow,
): { day: number; end: number | undefined } {
  const to = Math.min(Math.floor(window.to), LAST_DAY * DAY);
  const day = Math.floor(to / DAY);
  const { before } = window;
  const second = before === undefined ? undefined : blockTime(pool.clock, before.blockNumber);
  if (before === undefined || second === undefined || second > to) {
    return { day, end: lastRowAt(book.day(pool, day), to - day * DAY) + 1 };
  }
  const keyDay = Math.floor(second / DAY);
  const trades = book.day(pool, keyDay);
  let end = lastRowAt(trades, second - keyDay * DAY) + 1;
  while (end > 0 && cell(trades, end - 1, Column.second) === second - keyDay * DAY) {
    if (compareKeys(keyOf(pool, keyDay, trades, end - 1), before) < 0) break;
    end -= 1;
  }
  return { day: keyDay, end };
}

function headOf(trades: TradeDay, row: number): number {
  let head = row;
  while ((cell(trades, head, Column.flags) & Flag.follows) !== 0) head -= 1;
  return head;
}

/** Only the pool's first index in a block is generated. Each later transaction adds a gap and six log indexes. */
function keyOf(pool: MarketPool, day: number, trades: TradeDay, row: number): TransactionKey {
  const second = cell(trades, row, Column.second);
  const blockNumber = blockNumberAt(pool.clock, day * DAY + second);
  const head = headOf(trades, row);
  let transactionIndex = belowAt(pool.key, blockNumber, 120);
  for (
    let earlier = head - 1;
    earlier >= 0 && cell(trades, earlier, Column.second) === second;
    earlier -= 1
  ) {
    if ((cell(trades, earlier, Column.flags) & Flag.follows) === 0)
      transactionIndex += 1 + belowAt(dayKey(pool, day), earlier, 7);
  }
  const logIndex = transactionIndex * 6 + (row - head) * 2 + (hash(pool.key, blockNumber + row) & 1);
  return { blockNumber, transactionIndex, logIndex };
}

function makeId(pool: MarketPool, day: number, head: number): string {
  const place = ((day - FIRST_DAY) << 16) | head;
  const word = mix(place ^ hash(pool.key, -3));
  return makeTransactionId(pool.facts.network.addressFamily, word, hash(dayKey(pool, day), head + 0x10000));
}

function makeTransaction(pool: MarketPool, day: number, trades: TradeDay, row: number): Transaction {
  const { network } = pool.facts;
  const { blockNumber, transactionIndex, logIndex } = keyOf(pool, day, trades, row);
  const head = headOf(trades, row);
  const flags = cell(trades, row, Column.flags);
  const isLiquidity = (flags & Flag.liquidity) !== 0;
  const isIn = isLiquidity ? (flags & Flag.add) !== 0 : (flags & Flag.buy) === 0;
  const word = hash(dayKey(pool, day) ^ 0x3c6ef372, row);
  const headWord = hash(dayKey(pool, day) ^ 0x3c6ef372, head);
  const raw0 = makeRaw(cell(trades, row, Column.raw0), word);
  const raw1 = makeRaw(cell(trades, row, Column.raw1), mix(word));
  const price = cell(trades, row, Column.price);
  const hasUsd = (flags & Flag.noUsd) === 0;
  const sender = traderAt(network, (headWord >>> 0) % TRADERS);
  const isDirect = toUnit(mix(headWord)) < 0.6;
  return {
    blockNumber,
    transactionIndex,
    logIndex,
    kind: isLiquidity ? ((flags & Flag.add) === 0 ? "remove" : "add") : "swap",
    pool: pool.facts,
    id: makeId(pool, day, head),
    time: day * DAY + cell(trades, row, Column.second),
    sender,
    recipient: isDirect ? sender : traderAt(network, -1 - (word & 15)),
    amount0: isIn ? raw0 : -raw0,
    amount1: (isLiquidity ? isIn : !isIn) ? raw1 : -raw1,
    price0: price,
    price1: 1 / price,
    price0Usd: hasUsd && pool.token0.isPriced ? cell(trades, row, Column.usd0) : undefined,
    price1Usd: hasUsd && pool.token1.isPriced ? cell(trades, row, Column.usd1) : undefined,
  };
}

/** Only one dialect includes the hash, so it is not part of every row. */
export function blockHashOf({ pool, blockNumber }: Transaction): string {
  const { network } = pool;
  return makeBlockHash(network.addressFamily, hash(tradersKey(network) ^ 0x1f83d9ab, blockNumber));
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
