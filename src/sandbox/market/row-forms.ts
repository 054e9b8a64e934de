import { Flag } from "./deck.ts";
import { blockNumberAt, blockTime } from "./history.ts";
import type { Strikes } from "./strikes.ts";
import { flagsOf, headOf, lastRowAt, timeOf } from "./trades.ts";
import { keyOf, makeId, makeTransaction, ofCopies } from "./transactions.ts";
import type { Pool } from "./pool.ts";
import type { Transaction, TransactionKey } from "./types.ts";

/** When a row is listed in one form: since <= time of the response < until. */
interface Listed {
  readonly row: number;
  /** The time of its block, in Unix seconds. */
  readonly time: number;
  readonly since: number;
  /** Infinity for the final form. */
  readonly until: number;
}

interface FinalForm extends Listed {
  readonly kind: "final";
}

export interface OtherForm extends Listed, TransactionKey {
  readonly kind: "fork" | "copy";
}

export type RowForm = FinalForm | OtherForm;

/** More than the indexes of the transactions in one block, so that those a fork moves there come last. */
const INDEXES_PER_BLOCK = 500;
/** Each transaction index has this many log indexes. */
const LOGS = 6;

/** Undefined for a row that no fault affects: such a row has only its final form, from its time on. */
function formsOf(pool: Pool, row: number, strikes: Strikes): readonly RowForm[] | undefined {
  const late = strikes.lateSeconds(pool, row);
  const withdrawn = isLastEvent(pool, row) ? strikes.withdrawnSeconds(pool, row) : 0;
  const fork = forkOf(pool, row, strikes);
  if (late === 0 && withdrawn === 0 && fork === undefined) return undefined;
  const time = fork?.time ?? timeOf(pool, row);
  const forkEnd = fork?.end ?? time;
  const since = Math.max(time + late, forkEnd);
  const final: FinalForm = { kind: "final", row, time, since, until: Number.POSITIVE_INFINITY };
  const others: OtherForm[] = [];
  const forked = fork && forkForm(pool, row, fork, late, strikes);
  if (forked !== undefined) others.push(forked);
  if (withdrawn > 0) others.push(copyForm(pool, row, time, forkEnd, time + withdrawn));
  return [final, ...others.filter((form) => form.since < form.until)];
}

export function allForms(pool: Pool, row: number, strikes: Strikes): readonly RowForm[] {
  const forms = formsOf(pool, row, strikes);
  if (forms !== undefined) return forms;
  const time = timeOf(pool, row);
  return [{ kind: "final", row, time, since: time, until: Number.POSITIVE_INFINITY }];
}

/**
 * Those forms that pass, of the rows with after < time <= to and of older rows, up to `age` seconds, that a fault
 * affects: only these can have a form that appears or ends later.
 */
export function formsBetween(
  pool: Pool,
  { after, to, age }: { readonly after: number; readonly to: number; readonly age: number },
  strikes: Strikes,
  passes: (form: RowForm) => boolean,
): readonly RowForm[] {
  const forms: RowForm[] = [];
  const last = lastRowAt(pool, to);
  const lastOlder = lastRowAt(pool, after);
  for (let row = lastRowAt(pool, after - age) + 1; row <= last; row += 1) {
    const found = row > lastOlder ? allForms(pool, row, strikes) : formsOf(pool, row, strikes);
    for (const form of found ?? []) if (passes(form)) forms.push(form);
  }
  return forms;
}

interface Fork {
  readonly time: number;
  readonly block: number;
  /** When the chain drops the fork. */
  readonly end: number;
}

function forkOf(pool: Pool, row: number, strikes: Strikes): Fork | undefined {
  if (!strikes.hasForks) return undefined;
  const time = timeOf(pool, row);
  const block = blockNumberAt(pool.clock, time);
  const blocks = strikes.forkBlocks(pool, block);
  return blocks === 0 ? undefined : { time, block, end: blockTime(pool.clock, block + blocks) };
}

/** All events of a transaction move together and keep their order. */
function forkForm(
  pool: Pool,
  row: number,
  { time, block, end }: Fork,
  late: number,
  strikes: Strikes,
): OtherForm | undefined {
  const later = strikes.forkPlace(pool, headOf(pool, row));
  if (later === undefined) return undefined;
  const { transactionIndex, logIndex } = keyOf(pool, row);
  const shift = later === 0 ? strikes.indexShift(pool, block) : later * INDEXES_PER_BLOCK;
  const shownTime = later === 0 ? time : blockTime(pool.clock, block + later);
  return {
    kind: "fork",
    row,
    time: shownTime,
    since: Math.max(time + late, shownTime),
    until: end,
    blockNumber: block + later,
    transactionIndex: transactionIndex + shift,
    logIndex: logIndex + shift * LOGS,
  };
}

/** A block of a fork has no such copies, because they belong to the block that replaces it. */
function copyForm(pool: Pool, row: number, time: number, since: number, until: number): OtherForm {
  const key = keyOf(pool, row);
  return { kind: "copy", row, time, since, until, ...key, logIndex: key.logIndex + 1 };
}

/** Only such a row may have a copy, so that no other transaction stands between the events of one. */
function isLastEvent(pool: Pool, row: number): boolean {
  return (flagsOf(pool, row + 1) & Flag.follows) === 0;
}

export function isShown({ since, until }: RowForm, at: number): boolean {
  return since <= at && at < until;
}

export function transactionIn(pool: Pool, form: RowForm): Transaction {
  const transaction = makeTransaction(pool, form.row);
  if (form.kind === "final") return transaction;
  const { time, blockNumber, transactionIndex, logIndex } = form;
  const id = form.kind === "copy" ? makeId(pool, form.row, ofCopies) : transaction.id;
  return { ...transaction, id, time, blockNumber, transactionIndex, logIndex };
}
