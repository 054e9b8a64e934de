import { blockTime } from "./history.ts";
import {
  eachNewestFirst,
  eachRun,
  type PoolAt,
  poolAt,
  type Section,
  sectionOf,
  sizeOfSection,
} from "./pool-at.ts";
import { allForms, isShown, type RowForm, transactionIn } from "./row-forms.ts";
import { finalRows, type Rows, type Span } from "./market-rows.ts";
import { createStrikes, type Strikes } from "./strikes.ts";
import { createSeenArrivals } from "./seen-arrivals.ts";
import { type Sums, sumRows, timeOf } from "./trades.ts";
import { forkHashOf, makeTransaction, rowOfCopy, rowsWithId } from "./transactions.ts";
import {
  compareKeys,
  type FaultShare,
  type MarketFaults,
  type PoolFacts,
  type Transaction,
  type TransactionKey,
  type TransactionWindow,
} from "./types.ts";

/**
 * The rows as a service with market faults shows them. Everything follows from the forms of each row (row-forms.ts), so
 * all responses at one time agree, and the rows are final once they are old enough.
 */
export function createSeenRows(faults: MarketFaults, seed: number): Rows {
  const strikes = createStrikes(faults, seed);
  const remembered = new WeakMap<PoolFacts, { readonly at: number; readonly seen: PoolAt }>();
  const seenAt = (pool: PoolFacts, at: number): PoolAt => {
    const last = remembered.get(pool);
    if (last?.at === at) return last.seen;
    const seen = poolAt(pool, at, longestAge(faults, pool), strikes);
    remembered.set(pool, { at, seen });
    return seen;
  };
  return {
    sum: (pool, span) => {
      if (span.asOf === undefined) return finalRows.sum(pool, span);
      const seen = seenAt(pool, span.asOf);
      return sumSection(seen, sectionOf(seen, span.after, span));
    },
    each: (pool, span, visit) => {
      if (span.asOf === undefined) return finalRows.each(pool, span, visit);
      visitRows(seenAt(pool, span.asOf), span, visit);
    },
    list: (pool, window) =>
      window.asOf === undefined
        ? finalRows.list(pool, window)
        : listSection(seenAt(pool, window.asOf), window),
    count: (pool, from, to, asOf) => {
      if (asOf === undefined) return finalRows.count(pool, from, to, asOf);
      const seen = seenAt(pool, asOf);
      return sizeOfSection(seen, sectionOf(seen, Math.ceil(from) - 1, { to }));
    },
    find: (pool, id, asOf) => findShown(pool, id, asOf, strikes),
    place: (pool, id, asOf) => placeOfId(pool, id, asOf, strikes),
    blockHash: (transaction, asOf) => {
      const { pool, blockNumber } = transaction;
      const end = blockTime(pool.clock, blockNumber + strikes.forkBlocks(pool, blockNumber));
      return asOf !== undefined && asOf < end
        ? forkHashOf(transaction)
        : finalRows.blockHash(transaction, asOf);
    },
    ...createSeenArrivals(strikes, (pool) => longestAge(faults, pool)),
  };
}

/** The age, in seconds, from which every row of the pool is final. */
function longestAge({ lateRows, withdrawnRows, reorgs }: MarketFaults, { clock }: PoolFacts): number {
  const forkSeconds = Math.ceil((most(reorgs) + 1) * clock.blockSeconds) + 1;
  return Math.max(most(lateRows), most(withdrawnRows), reorgs.length === 0 ? 0 : forkSeconds);
}

function most(shares: readonly FaultShare[]): number {
  return Math.max(0, ...shares.map(({ amount }) => amount));
}

function sumSection(seen: PoolAt, section: Section): Sums {
  const sums = { volumeUsd: 0, buyUsd: 0, buys: 0, swaps: 0, txns: 0 };
  const add = (first: number, end: number): void => {
    const run = sumRows(seen.pool, first, end);
    sums.volumeUsd += run.volumeUsd;
    sums.buyUsd += run.buyUsd;
    sums.buys += run.buys;
    sums.swaps += run.swaps;
    sums.txns += run.txns;
  };
  eachRun(seen, section, add, ({ row }) => add(row, row + 1));
  return sums;
}

function visitRows(seen: PoolAt, span: Span, visit: (row: number, time: number) => void): void {
  const run = (first: number, end: number): void => {
    for (let row = first; row < end; row += 1) visit(row, timeOf(seen.pool, row));
  };
  eachRun(seen, sectionOf(seen, span.after, span), run, ({ row, time }) => visit(row, time));
}

function listSection(seen: PoolAt, window: TransactionWindow): Transaction[] {
  const { from = 0, skip = 0, limit } = window;
  const found: Transaction[] = [];
  if (limit < 1) return found;
  eachNewestFirst(seen, sectionOf(seen, Math.ceil(from) - 1, window), skip, (row, other) => {
    found.push(other === undefined ? makeTransaction(seen.pool, row) : transactionIn(seen.pool, other));
    return found.length < limit;
  });
  return found;
}

/** Newest first. */
function findShown(pool: PoolFacts, id: string, at: number, strikes: Strikes): readonly Transaction[] {
  return formsWithId(pool, id, at, strikes)
    .filter((form) => isShown(form, at))
    .map((form) => transactionIn(pool, form))
    .toSorted((a, b) => compareKeys(b, a));
}

/** A cursor stays valid when the row that it names is withdrawn. */
function placeOfId(pool: PoolFacts, id: string, at: number, strikes: Strikes): TransactionKey | undefined {
  const shown = findShown(pool, id, at, strikes).at(-1);
  if (shown !== undefined) return shown;
  const withdrawn = formsWithId(pool, id, at, strikes).find(
    ({ kind, until }) => kind === "copy" && until <= at,
  );
  return withdrawn && transactionIn(pool, withdrawn);
}

function formsWithId(pool: PoolFacts, id: string, at: number, strikes: Strikes): readonly RowForm[] {
  const copied = rowOfCopy(pool, id);
  const rows = copied === undefined ? rowsWithId(pool, id, at) : [copied];
  return rows
    .flatMap((row) => allForms(pool, row, strikes))
    .filter(({ kind }) => (kind === "copy") === (copied !== undefined));
}
