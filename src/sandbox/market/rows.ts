import { blockTime } from "./history.ts";
import { allForms, formsBetween, isShown, type OtherForm, type RowForm, transactionIn } from "./row-forms.ts";
import { LONGEST_MOVE, type Strikes } from "./strikes.ts";
import { lastRowAt, noSums, type Sums, sumRows, timeOf } from "./trades.ts";
import {
  blockHashOf,
  keyOf,
  lastRowBefore,
  makeTransaction,
  ofCopies,
  rowOfId,
  rowsWithId,
} from "./transactions.ts";
import type { Pool } from "./pool.ts";
import {
  compareKeys,
  type Showing,
  type Transaction,
  type TransactionKey,
  type TransactionWindow,
} from "./types.ts";

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
  const exceptionsAt = rememberExceptions(strikes);
  const pieces = (pool: Pool, { after, to, asOf }: Span, before?: TransactionKey): readonly Piece[] => {
    const first = lastRowAt(pool, after) + 1;
    const end = Math.max(first, lastRowBefore(pool, to, before) + 1);
    const all = exceptionsAt(pool, asOf);
    if (all.length === 0) return [{ first, end, form: undefined }];
    const near = all.slice(
      countWhile(all, ({ row }) => row < first),
      countWhile(all, ({ row }) => row <= end),
    );
    const isBefore = (form: OtherForm): boolean => before === undefined || compareKeys(form, before) < 0;
    const exceptions = near.filter(({ row, form }) =>
      form === undefined ? row < end : form.time > after && form.time <= to && isBefore(form),
    );
    return cutIntoPieces(first, end, exceptions);
  };
  return {
    sum: (pool: Pool, span: Span): Sums => {
      const sums = noSums();
      for (const { first, end } of pieces(pool, span)) {
        const part = sumRows(pool, first, end);
        sums.volumeUsd += part.volumeUsd;
        sums.buyUsd += part.buyUsd;
        sums.buys += part.buys;
        sums.swaps += part.swaps;
        sums.txns += part.txns;
      }
      return sums;
    },
    /** In ascending order. */
    each: (pool: Pool, span: Span, visit: (row: number, time: number) => void): void => {
      for (const { first, end, form } of pieces(pool, span))
        for (let row = first; row < end; row += 1) visit(row, form?.time ?? timeOf(pool, row));
    },
    /** At most `limit` transactions within [from, to], newest first. With `before`, only those strictly before it. */
    transactions: (
      pool: Pool,
      { from = 0, to, before, skip = 0, limit, asOf }: TransactionWindow,
    ): readonly Transaction[] => {
      const found: Transaction[] = [];
      let left = skip;
      const span = { after: Math.ceil(from) - 1, to, asOf };
      for (const { first, end, form } of pieces(pool, span, before).toReversed()) {
        for (let row = end - 1 - left; row >= first && found.length < limit; row -= 1)
          found.push(form === undefined ? makeTransaction(pool, row) : transactionIn(pool, form));
        left = Math.max(0, left - (end - first));
      }
      return found;
    },
    /** Both ends are inclusive. `asOf` as in `TransactionWindow`. */
    transactionCount: (pool: Pool, from: number, to: number, asOf?: number) =>
      pieces(pool, { after: Math.ceil(from) - 1, to, asOf }).reduce(
        (sum, { first, end }) => sum + end - first,
        0,
      ),
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

/** Where a response differs from the final rows. */
interface Exception {
  /** Not listed yet or, with a form, the first row that is newer than the form. */
  readonly row: number;
  /** Listed for a while. */
  readonly form: OtherForm | undefined;
}

const noExceptions: readonly Exception[] = [];

/** Only young rows have exceptions, so a page of a long history costs as little as without faults. */
function rememberExceptions(strikes: Strikes) {
  const remembered = new WeakMap<Pool, { readonly at: number; readonly found: readonly Exception[] }>();
  return (pool: Pool, at: number | undefined): readonly Exception[] => {
    const age = strikes.longestAge(pool);
    if (at === undefined || age === 0) return noExceptions;
    const last = remembered.get(pool);
    if (last?.at === at) return last.found;
    const isException = (form: RowForm): boolean => (form.kind === "final") !== isShown(form, at);
    const found = place(pool, formsBetween(pool, { after: at, to: at, age }, strikes, isException));
    remembered.set(pool, { at, found });
    return found;
  };
}

/** In ascending order. */
function place(pool: Pool, forms: readonly RowForm[]): readonly Exception[] {
  const hidden = forms.filter(({ kind }) => kind === "final");
  const extras = forms.filter((form) => form.kind !== "final").toSorted(compareKeys);
  return [
    ...extras.map((form) => ({ row: rowAfter(pool, form), form })),
    ...hidden.map(({ row }) => ({ row, form: undefined })),
  ].toSorted((a, b) => a.row - b.row);
}

/** The oldest final row that is newer than the form. */
function rowAfter(pool: Pool, form: OtherForm): number {
  let row = lastRowAt(pool, form.time);
  while (row >= 0 && compareKeys(keyOf(pool, row), form) > 0) row -= 1;
  return row + 1;
}

/** Rows that are listed without a gap, as first <= row < end. A form is a piece of its own. */
interface Piece {
  readonly first: number;
  readonly end: number;
  readonly form: OtherForm | undefined;
}

/** In ascending order. */
function cutIntoPieces(first: number, end: number, exceptions: readonly Exception[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let next = first;
  const runTo = (until: number): void => {
    if (until > next) pieces.push({ first: next, end: until, form: undefined });
    next = Math.max(next, until);
  };
  for (const { row, form } of exceptions) {
    runTo(Math.min(row, end));
    if (form === undefined) next = row + 1;
    else pieces.push({ first: form.row, end: form.row + 1, form });
  }
  runTo(end);
  return pieces;
}

/** The length of the leading part of a list in which the condition holds. */
function countWhile<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

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
    .flatMap((row) => allForms(pool, row, strikes))
    .filter(({ kind }) => (kind === "copy") === (copied !== undefined));
}

/** What streams need: when rows become listed, and when they stop being listed. All cover after < time <= to. */
function createArrivals(strikes: Strikes) {
  const { hasForks, longestAge } = strikes;
  return {
    /** All forms in which transactions with these times are ever listed, oldest first. */
    showings: (pool: Pool, after: number, to: number): readonly Showing[] => {
      const age = hasForks ? Math.ceil(LONGEST_MOVE * pool.clock.blockSeconds) : 0;
      return formsBetween(pool, { after, to, age }, strikes, ({ time }) => time > after && time <= to)
        .map((form) => toShowing(pool, form))
        .toSorted(byPlace);
    },
    /** All forms that become listed in this span, first those that do so first. */
    arrivals: (pool: Pool, after: number, to: number): readonly Showing[] => {
      const span = { after, to, age: longestAge(pool) };
      return formsBetween(pool, span, strikes, ({ since }) => since > after && since <= to)
        .map((form) => toShowing(pool, form))
        .toSorted((a, b) => a.since - b.since || byPlace(a, b));
    },
    /** The times of transactions that, in this span, become listed late or stop being listed. */
    revised: (pool: Pool, after: number, to: number): readonly number[] => {
      const age = longestAge(pool);
      if (age === 0) return [];
      const isChange = ({ time, since, until }: RowForm): boolean =>
        (since > time && since > after && since <= to) || (until > after && until <= to);
      return formsBetween(pool, { after, to, age }, strikes, isChange).map(({ time }) => time);
    },
  };
}

function byPlace(a: Showing, b: Showing): number {
  return compareKeys(a.transaction, b.transaction);
}

function toShowing(pool: Pool, form: RowForm): Showing {
  const { row, since, until } = form;
  return { transaction: transactionIn(pool, form), since, until, pricedAt: timeOf(pool, row) };
}
