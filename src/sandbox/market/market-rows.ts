import { blockHashOf, countTransactions, findTransactions, listTransactions } from "./transactions.ts";
import { lastRowAt, type Sums, sumRows, timeOf } from "./trades.ts";
import type { PoolFacts, Showing, Transaction, TransactionKey, TransactionWindow } from "./types.ts";

/**
 * How everything that depends on rows reads them: totals, candles, lists and streams. The rows are either final or, with
 * market faults, as a response at `asOf` shows them. Times are in Unix seconds, and spans cover after < time <= to.
 */
export interface Rows {
  readonly sum: (pool: PoolFacts, span: Span) => Sums;
  /** In ascending order. */
  readonly each: (pool: PoolFacts, span: Span, visit: (row: number, time: number) => void) => void;
  readonly list: (pool: PoolFacts, window: TransactionWindow) => readonly Transaction[];
  /** Both ends are inclusive. */
  readonly count: (pool: PoolFacts, from: number, to: number, asOf: number | undefined) => number;
  readonly find: (pool: PoolFacts, id: string, asOf: number) => readonly Transaction[];
  /** The place of a transaction, also after it was withdrawn. */
  readonly place: (pool: PoolFacts, id: string, asOf: number) => TransactionKey | undefined;
  readonly blockHash: (transaction: Transaction, asOf: number | undefined) => string;
  /** All forms in which rows with these times are ever listed, in ascending order. */
  readonly showings: (pool: PoolFacts, after: number, to: number) => readonly Showing[];
  /** All forms that become listed in this span, first those that do so first. */
  readonly arrivals: (pool: PoolFacts, after: number, to: number) => readonly Showing[];
  /** The times of rows that become listed later than they happen, or stop being listed, in this span. */
  readonly revised: (pool: PoolFacts, after: number, to: number) => readonly number[];
}

export interface Span {
  readonly after: number;
  readonly to: number;
  /** Undefined for the final rows. */
  readonly asOf: number | undefined;
}

export const finalRows: Rows = {
  sum: (pool, { after, to }) => sumRows(pool, lastRowAt(pool, after) + 1, lastRowAt(pool, to) + 1),
  each: (pool, { after, to }, visit) => {
    const last = lastRowAt(pool, to);
    for (let row = lastRowAt(pool, after) + 1; row <= last; row += 1) visit(row, timeOf(pool, row));
  },
  list: listTransactions,
  count: countTransactions,
  find: findTransactions,
  place: (pool, id, asOf) => findTransactions(pool, id, asOf).at(-1),
  blockHash: blockHashOf,
  showings: showFinal,
  arrivals: showFinal,
  revised: () => [],
};

function showFinal(pool: PoolFacts, after: number, to: number): readonly Showing[] {
  return listTransactions(pool, { from: after + 1, to, limit: Number.POSITIVE_INFINITY })
    .toReversed()
    .map((transaction) => ({
      transaction,
      since: transaction.time,
      until: Number.POSITIVE_INFINITY,
      pricedAt: transaction.time,
    }));
}
