import { formsBetween, type RowForm, transactionIn } from "./row-forms.ts";
import type { Strikes } from "./strikes.ts";
import { timeOf } from "./trades.ts";
import { compareKeys, type Market, type PoolFacts, type Showing } from "./types.ts";

/** A fork moves a transaction at most this many blocks. */
const LONGEST_MOVE = 3;

/** What streams need: when rows become listed, and when they stop being listed. */
export function createArrivals(strikes: Strikes): Pick<Market, "showings" | "arrivals" | "revised"> {
  const { hasForks, longestAge } = strikes;
  return {
    showings: (pool, after, to) => {
      const age = hasForks ? Math.ceil(LONGEST_MOVE * pool.clock.blockSeconds) : 0;
      return formsBetween(pool, { after, to, age }, strikes, ({ time }) => time > after && time <= to)
        .map((form) => toShowing(pool, form))
        .toSorted(byPlace);
    },
    arrivals: (pool, after, to) => {
      const span = { after, to, age: longestAge(pool) };
      return formsBetween(pool, span, strikes, ({ since }) => since > after && since <= to)
        .map((form) => toShowing(pool, form))
        .toSorted((a, b) => a.since - b.since || byPlace(a, b));
    },
    revised: (pool, after, to) => {
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

function toShowing(pool: PoolFacts, form: RowForm): Showing {
  const { row, since, until } = form;
  return { transaction: transactionIn(pool, form), since, until, pricedAt: timeOf(pool, row) };
}
