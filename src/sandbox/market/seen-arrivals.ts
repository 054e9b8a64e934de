import { allForms, formsOf, type OtherForm, type RowForm, transactionIn } from "./row-forms.ts";
import type { Rows } from "./market-rows.ts";
import type { Strikes } from "./strikes.ts";
import { lastRowAt, timeOf } from "./trades.ts";
import { compareKeys, type PoolFacts, type Showing } from "./types.ts";

/** A fork moves a transaction at most this many blocks. */
const LONGEST_MOVE = 3;

/** What streams need: when rows become listed, and when they stop being listed. */
export function createSeenArrivals(
  strikes: Strikes,
  longestAge: (pool: PoolFacts) => number,
): Pick<Rows, "showings" | "arrivals" | "revised"> {
  /** Visits the forms of all rows that are old enough to be shown before `to`, and may change after `after`. */
  const formsBetween = (pool: PoolFacts, after: number, to: number): RowForm[] => {
    const forms: RowForm[] = [];
    const last = lastRowAt(pool, to);
    for (let row = lastRowAt(pool, after - longestAge(pool)) + 1; row <= last; row += 1)
      forms.push(...(formsOf(pool, row, strikes) ?? []));
    return forms;
  };
  return {
    showings: (pool, after, to) => {
      const forms: RowForm[] = [];
      const earliest = after - Math.ceil(LONGEST_MOVE * pool.clock.blockSeconds);
      const last = lastRowAt(pool, to);
      for (let row = lastRowAt(pool, earliest) + 1; row <= last; row += 1)
        forms.push(...allForms(pool, row, strikes).filter(({ time }) => isInside(time, after, to)));
      return forms.map((form) => toShowing(pool, form)).toSorted(byPlace);
    },
    arrivals: (pool, after, to) => {
      const young: RowForm[] = [];
      const last = lastRowAt(pool, to);
      for (let row = lastRowAt(pool, after) + 1; row <= last; row += 1)
        if (formsOf(pool, row, strikes) === undefined) young.push(...allForms(pool, row, strikes));
      return [...young, ...formsBetween(pool, after, to).filter(({ since }) => isInside(since, after, to))]
        .map((form) => toShowing(pool, form))
        .toSorted((a, b) => a.since - b.since || byPlace(a, b));
    },
    revised: (pool, after, to) =>
      formsBetween(pool, after, to)
        .filter(
          ({ time, since, until }) =>
            (since > time && isInside(since, after, to)) || isInside(until, after, to),
        )
        .map(({ time }) => time),
  };
}

function isInside(at: number, after: number, to: number): boolean {
  return at > after && at <= to;
}

function byPlace(a: Showing, b: Showing): number {
  return compareKeys(a.transaction, b.transaction);
}

function toShowing(pool: PoolFacts, form: RowForm | OtherForm): Showing {
  const { row, since, until } = form;
  return { transaction: transactionIn(pool, form), since, until, pricedAt: timeOf(pool, row) };
}
