import { Flag } from "./deck.ts";
import { blockTime } from "./history.ts";
import type { Strikes } from "./strikes.ts";
import { flagsOf, headOf, lastRowAt, timeOf } from "./trades.ts";
import { keyOf, makeId, makeTransaction, ofCopies } from "./transactions.ts";
import type { Pool } from "./pool.ts";
import type { Transaction, TransactionKey } from "./types.ts";

/** A form in which a row is listed, and when: since <= time of the response < until. */
export interface RowForm extends TransactionKey {
  readonly kind: "final" | "fork" | "copy";
  readonly row: number;
  /** The time of its block, in Unix seconds. */
  readonly time: number;
  readonly since: number;
  /** Infinity for the final form. */
  readonly until: number;
}

/** More than the indexes of the transactions in one block, so that those a fork moves there come last. */
const INDEXES_PER_BLOCK = 500;
/** Each transaction index has this many log indexes. */
const LOGS = 6;

/** A row that no fault affects has only its final form, from its time on. */
export function formsOf(pool: Pool, row: number, strikes: Strikes): readonly RowForm[] {
  const time = timeOf(pool, row);
  const { blockNumber, transactionIndex, logIndex } = keyOf(pool, row, time);
  const listedAt = time + strikes.lateSeconds(pool, row);
  const forkedBlocks = strikes.forkBlocks(pool, blockNumber);
  const forkEnd = forkedBlocks === 0 ? time : blockTime(pool.clock, blockNumber + forkedBlocks);
  const since = Math.max(listedAt, forkEnd);
  const until = Number.POSITIVE_INFINITY;
  const final: RowForm = { kind: "final", row, time, since, until, blockNumber, transactionIndex, logIndex };
  const forms = [final];
  if (forkedBlocks > 0) forms.push(...forkForms(pool, final, listedAt, forkEnd, strikes));
  const withdrawnAt = time + (isLastEvent(pool, row) ? strikes.withdrawnSeconds(pool, row) : 0);
  // A block of a fork has no such copies, because they belong to the block that replaces it.
  if (forkEnd < withdrawnAt)
    forms.push({ ...final, kind: "copy", since: forkEnd, until: withdrawnAt, logIndex: logIndex + 1 });
  return forms;
}

/** At most one, until the chain drops the fork. All events of a transaction move together and keep their order. */
function forkForms(
  pool: Pool,
  final: RowForm,
  listedAt: number,
  forkEnd: number,
  strikes: Strikes,
): readonly RowForm[] {
  const { row, blockNumber } = final;
  const later = strikes.forkPlace(pool, headOf(pool, row));
  if (later === undefined) return [];
  const shift = later === 0 ? strikes.indexShift(pool, blockNumber) : later * INDEXES_PER_BLOCK;
  const time = later === 0 ? final.time : blockTime(pool.clock, blockNumber + later);
  const form: RowForm = {
    kind: "fork",
    row,
    time,
    since: Math.max(listedAt, time),
    until: forkEnd,
    blockNumber: blockNumber + later,
    transactionIndex: final.transactionIndex + shift,
    logIndex: final.logIndex + shift * LOGS,
  };
  return form.since < form.until ? [form] : [];
}

/** Only such a row may have a copy, so that no other transaction stands between the events of one. */
function isLastEvent(pool: Pool, row: number): boolean {
  return (flagsOf(pool, row + 1) & Flag.follows) === 0;
}

/** Of the rows with after < time <= to, and of older ones that are not yet final at `after`. */
export function formsBetween(pool: Pool, after: number, to: number, strikes: Strikes): readonly RowForm[] {
  const forms: RowForm[] = [];
  const last = lastRowAt(pool, to);
  for (let row = lastRowAt(pool, after - strikes.longestAge(pool)) + 1; row <= last; row += 1)
    forms.push(...formsOf(pool, row, strikes));
  return forms;
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
