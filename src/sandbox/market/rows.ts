import { blockTime } from "./history.ts";
import { formsBetween, formsOf, isShown, type RowForm, transactionIn } from "./row-forms.ts";
import type { Strikes } from "./strikes.ts";
import { rememberLatest } from "../recent.ts";
import { addSums, lastRowAt, type Sums, sumRows, timeOf } from "./trades.ts";
import {
  blockHashOf,
  lastRowBefore,
  makeTransaction,
  ofCopies,
  rowOfId,
  rowsWithId,
} from "./transactions.ts";
import type { Pool } from "./pool.ts";
import { compareKeys, type Transaction, type TransactionKey, type TransactionWindow } from "./types.ts";

/** How everything that depends on rows reads them: totals, candles, lists and streams. */
export type Rows = ReturnType<typeof createRows>;

/** Covers after < time <= to, as a response at `asOf` shows it; undefined for the final rows. */
interface Span {
  readonly after: number;
  readonly to: number;
  readonly asOf: number | undefined;
}

/**
 * The rows as a service with market faults shows them. Everything follows from the forms of each row (row-forms.ts), so
 * all responses at one time agree, and the rows are final once they are old enough.
 */
export function createRows(strikes: Strikes) {
  const youngListing = rememberLatest((pool: Pool, at): Listing => {
    const forms = formsBetween(pool, at, at, strikes);
    const young = forms.filter((form) => isShown(form, at)).toSorted(compareKeys);
    return { settled: lastRowAt(pool, at - strikes.longestAge(pool)) + 1, young };
  });
  /** The final rows with first <= row < end, and then the young ones. */
  const rowsIn = (pool: Pool, { after, to, asOf }: Span, before?: TransactionKey) => {
    const hasYoung = asOf !== undefined && strikes.longestAge(pool) > 0;
    const { settled, young } = hasYoung ? youngListing(pool, asOf) : allFinal;
    const first = lastRowAt(pool, after) + 1;
    const end = Math.min(settled, lastRowBefore(pool, to, before) + 1);
    const isInside = (form: RowForm): boolean =>
      form.time > after && form.time <= to && (before === undefined || compareKeys(form, before) < 0);
    return { first, end: Math.max(first, end), young: young.filter(isInside) };
  };
  return {
    sum: (pool: Pool, span: Span): Sums => {
      const { first, end, young } = rowsIn(pool, span);
      const sums = sumRows(pool, first, end);
      for (const { row } of young) addSums(sums, sumRows(pool, row, row + 1));
      return sums;
    },
    /** In ascending order. */
    each: (pool: Pool, span: Span, visit: (row: number, time: number) => void): void => {
      const { first, end, young } = rowsIn(pool, span);
      for (let row = first; row < end; row += 1) visit(row, timeOf(pool, row));
      for (const { row, time } of young) visit(row, time);
    },
    /** At most `limit` transactions within [from, to], newest first. With `before`, only those strictly before it. */
    transactions: (
      pool: Pool,
      { from = 0, to, before, skip = 0, limit, asOf }: TransactionWindow,
    ): readonly Transaction[] => {
      const { first, end, young } = rowsIn(pool, { after: Math.ceil(from) - 1, to, asOf }, before);
      const newest = young.toReversed().slice(skip, skip + limit);
      const found = newest.map((form) => transactionIn(pool, form));
      const skipped = Math.max(0, skip - young.length);
      for (let row = end - 1 - skipped; row >= first && found.length < limit; row -= 1)
        found.push(makeTransaction(pool, row));
      return found;
    },
    /** Both ends are inclusive. `asOf` as in `TransactionWindow`. */
    transactionCount: (pool: Pool, from: number, to: number, asOf?: number) => {
      const { first, end, young } = rowsIn(pool, { after: Math.ceil(from) - 1, to, asOf });
      return end - first + young.length;
    },
    /** Its events, newest first. */
    transactionsWithId: (pool: Pool, id: string, asOf: number) => findShown(pool, id, asOf, strikes),
    /** The oldest event of a transaction. A cursor stays valid when the row that it names is withdrawn. */
    placeOfId: (pool: Pool, id: string, asOf: number): TransactionKey | undefined =>
      findShown(pool, id, asOf, strikes).at(-1) ?? findWithdrawn(pool, id, asOf, strikes),
    blockHash: (transaction: Transaction, asOf?: number) => {
      const { pool, blockNumber } = transaction;
      const end = blockTime(pool.clock, blockNumber + strikes.forkBlocks(pool, blockNumber));
      return blockHashOf(transaction, asOf !== undefined && asOf < end);
    },
    ...createArrivals(strikes),
  };
}

/**
 * What is listed at one time: the rows before number `settled`, which are final, and then the forms of younger rows. A
 * page of a long history therefore costs as little as without faults.
 */
interface Listing {
  readonly settled: number;
  readonly young: readonly RowForm[];
}

const allFinal: Listing = { settled: Number.POSITIVE_INFINITY, young: [] };

/** Newest first. */
function findShown(pool: Pool, id: string, at: number, strikes: Strikes): readonly Transaction[] {
  return formsWithId(pool, id, at, strikes)
    .filter((form) => isShown(form, at))
    .map((form) => transactionIn(pool, form))
    .toSorted((a, b) => compareKeys(b, a));
}

function findWithdrawn(pool: Pool, id: string, at: number, strikes: Strikes): Transaction | undefined {
  const form = formsWithId(pool, id, at, strikes).find(({ kind, until }) => kind === "copy" && until <= at);
  return form && transactionIn(pool, form);
}

function formsWithId(pool: Pool, id: string, at: number, strikes: Strikes): readonly RowForm[] {
  const copied = rowOfId(pool, id, ofCopies);
  const rows = copied === undefined ? rowsWithId(pool, id, at) : [copied];
  return rows
    .flatMap((row) => formsOf(pool, row, strikes))
    .filter(({ kind }) => (kind === "copy") === (copied !== undefined));
}

/** What streams need: when rows become listed, and when they stop being listed. All cover after < time <= to. */
function createArrivals(strikes: Strikes) {
  const forms = (pool: Pool, after: number, to: number, passes: (form: RowForm) => boolean) =>
    formsBetween(pool, after, to, strikes).filter(passes).toSorted(compareKeys);
  return {
    /** All forms in which transactions with these times are ever listed, oldest first. */
    showings: (pool: Pool, after: number, to: number) =>
      forms(pool, after, to, ({ time }) => time > after && time <= to),
    /** All forms that become listed in this span, first those that do so first. */
    arrivals: (pool: Pool, after: number, to: number) =>
      forms(pool, after, to, ({ since }) => since > after && since <= to)
        .toSorted((a, b) => a.since - b.since)
        .map((form) => ({ transaction: transactionIn(pool, form), since: form.since })),
    /** The times of transactions that, in this span, become listed late or stop being listed. */
    revised: (pool: Pool, after: number, to: number): readonly number[] => {
      if (strikes.longestAge(pool) === 0) return [];
      const isChange = ({ time, since, until }: RowForm): boolean =>
        (since > time && since > after && since <= to) || (until > after && until <= to);
      return forms(pool, after, to, isChange).map(({ time }) => time);
    },
  };
}
