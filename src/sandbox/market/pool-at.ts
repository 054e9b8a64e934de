import { formsOf, isShown, type OtherForm } from "./row-forms.ts";
import type { Strikes } from "./strikes.ts";
import { lastRowAt } from "./trades.ts";
import { keyOf, lastRowBefore } from "./transactions.ts";
import { compareKeys, type PoolFacts, type TransactionWindow } from "./types.ts";

/**
 * What a response at a given time shows of a pool: the final rows, except for a few young ones. The rest is arithmetic, so
 * a page of a long history costs as little as without faults.
 */
export interface PoolAt {
  readonly pool: PoolFacts;
  /** Final rows that are not listed yet, in ascending order. */
  readonly hidden: readonly number[];
  /** Forms that are listed for a while, in ascending order. */
  readonly extras: readonly Extra[];
}

interface Extra {
  readonly form: OtherForm;
  /** The newest final row that is older than this form. */
  readonly after: number;
}

/** `longest` is the age, in seconds, from which every row is final. */
export function poolAt(pool: PoolFacts, at: number, longest: number, strikes: Strikes): PoolAt {
  const hidden: number[] = [];
  const forms: OtherForm[] = [];
  const last = lastRowAt(pool, at);
  for (let row = lastRowAt(pool, at - longest) + 1; row <= last; row += 1) {
    const found = formsOf(pool, row, strikes);
    if (found === undefined) continue;
    const [final, ...others] = found;
    if (!isShown(final, at)) hidden.push(row);
    for (const other of others) if (isShown(other, at)) forms.push(other);
  }
  const extras = forms.toSorted(compareKeys).map((form) => ({ form, after: rowBefore(pool, form) }));
  return { pool, hidden, extras };
}

function rowBefore(pool: PoolFacts, form: OtherForm): number {
  let row = lastRowAt(pool, form.time);
  while (row >= 0 && compareKeys(keyOf(pool, row), form) > 0) row -= 1;
  return row;
}

/** The rows and extras between two places, as first <= row <= last and firstExtra <= extra < endExtra. */
export interface Section {
  readonly first: number;
  readonly last: number;
  readonly firstExtra: number;
  readonly endExtra: number;
}

/** Covers after < time <= to, and only what is strictly before `before`. */
export function sectionOf(
  { pool, extras }: PoolAt,
  after: number,
  window: Pick<TransactionWindow, "to" | "before">,
): Section {
  const { to, before } = window;
  const isBefore = (form: OtherForm) => before === undefined || compareKeys(form, before) < 0;
  return {
    first: lastRowAt(pool, after) + 1,
    last: lastRowBefore(pool, window),
    firstExtra: countWhile(extras, ({ form }) => form.time <= after),
    endExtra: countWhile(extras, ({ form }) => form.time <= to && isBefore(form)),
  };
}

export function sizeOfSection({ hidden }: PoolAt, { first, last, firstExtra, endExtra }: Section): number {
  const rows = Math.max(0, last - first + 1);
  const missing = rows === 0 ? 0 : countUpTo(hidden, last) - countUpTo(hidden, first - 1);
  return rows - missing + Math.max(0, endExtra - firstExtra);
}

/** Newest first; stops when `visit` returns false. */
export function eachNewestFirst(
  { hidden, extras }: PoolAt,
  { first, last, firstExtra, endExtra }: Section,
  skip: number,
  visit: (row: number, other: OtherForm | undefined) => boolean,
): void {
  let row = last;
  let extra = endExtra - 1;
  let hides = countUpTo(hidden, last) - 1;
  let left = skip;
  while (row >= first || extra >= firstExtra) {
    if (left > 0 && hides < 0 && extra < firstExtra) {
      row -= left;
      left = 0;
      continue;
    }
    const newest = extra >= firstExtra ? extras[extra] : undefined;
    if (newest !== undefined && (newest.after >= row || row < first)) {
      extra -= 1;
      if (left > 0) left -= 1;
      else if (!visit(newest.form.row, newest.form)) return;
    } else if (hides >= 0 && hidden[hides] === row) {
      hides -= 1;
      row -= 1;
    } else {
      if (left > 0) left -= 1;
      else if (!visit(row, undefined)) return;
      row -= 1;
    }
  }
}

/** In ascending order; `run` gets rows that are listed without a gap, as first <= row < end. */
export function eachRun(
  { hidden, extras }: PoolAt,
  { first, last, firstExtra, endExtra }: Section,
  run: (first: number, end: number) => void,
  visit: (form: OtherForm) => void,
): void {
  let row = first;
  let hides = countUpTo(hidden, first - 1);
  const runTo = (end: number): void => {
    while (row < end) {
      const gap = Math.min(end, hidden[hides] ?? end);
      if (gap > row) run(row, gap);
      row = gap;
      if (row === hidden[hides]) {
        hides += 1;
        row += 1;
      }
    }
  };
  for (const { form, after } of extras.slice(firstExtra, endExtra)) {
    runTo(Math.min(after, last) + 1);
    visit(form);
  }
  runTo(last + 1);
}

function countUpTo(ascending: readonly number[], most: number): number {
  return countWhile(ascending, (value) => value <= most);
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
