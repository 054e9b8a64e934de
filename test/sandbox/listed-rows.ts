import { belowAt, hashText, unitAt } from "../../src/sandbox/market/hash.ts";
import type { Pool } from "../../src/sandbox/market/pool.ts";
import type { Market } from "../../src/sandbox/market/market.ts";
import type { Transaction } from "../../src/sandbox/market/types.ts";

/**
 * What an answer at one instant lists under market faults, as a plain list of all rows, filtered by the documented rules.
 * It knows only the final market, and how the seed, the kind and the row select the affected rows.
 */
export interface MarketRules {
  readonly seed: number;
  /** Seconds and a share from 0 to 1; each undefined without that fault. */
  readonly late?: readonly [seconds: number, share: number];
  readonly withdrawn?: readonly [seconds: number, share: number];
  readonly reorg?: readonly [blocks: number, share: number];
}

export interface ListedRow {
  readonly final: Transaction;
  readonly form: "final" | "copy" | "fork";
  readonly time: number;
  readonly block: number;
  /** How many blocks a fork moved it. */
  readonly moved: number;
  readonly row: number;
}

/** Whether a fork shows this block at `at`. */
export function isForked(
  { seed, reorg }: MarketRules,
  { network, clock }: Pool,
  block: number,
  at: number,
): boolean {
  if (reorg === undefined) return false;
  const [blocks, share] = reorg;
  const newest = Math.floor((at - clock.genesis) / clock.blockSeconds);
  return newest - block < blocks && unitAt(hashText(hashText(seed, "reorg"), network.id), block) < share;
}

/** All final rows of from <= time <= to, oldest first, and the number of the first one. */
export function finalRows(market: Market, pool: Pool, from: number, to: number) {
  const rows = market.transactions(pool, { from, to, limit: Number.POSITIVE_INFINITY }).toReversed();
  return { rows, firstRow: market.transactionCount(pool, 0, from - 1) };
}

/** Oldest first, with the rows of from <= time <= at. */
export function listedRows(
  market: Market,
  pool: Pool,
  rules: MarketRules,
  from: number,
  at: number,
): readonly ListedRow[] {
  return listedAmong(finalRows(market, pool, from, at), pool, rules, at);
}

export function listedAmong(
  { rows: final, firstRow }: ReturnType<typeof finalRows>,
  pool: Pool,
  rules: MarketRules,
  at: number,
): readonly ListedRow[] {
  const { seed, late, withdrawn } = rules;
  const isStruck = (kind: string, row: number, share: number): boolean =>
    unitAt(hashText(seed, kind) ^ pool.key, row) < share;
  const listed: ListedRow[] = [];
  for (const [index, transaction] of final.entries()) {
    const row = firstRow + index;
    const { time, blockNumber, id } = transaction;
    if (time > at) break;
    const age = at - time;
    const isLate = late !== undefined && age < late[0] && isStruck("late-rows", row, late[1]);
    const place = { final: transaction, time, block: blockNumber, moved: 0, row };
    if (isForked(rules, pool, blockNumber, at)) {
      const head = firstRow + final.findIndex((other) => other.id === id);
      const fork = forked(pool, seed, head, transaction);
      if (!isLate && fork !== undefined && fork.time <= at) listed.push({ ...place, ...fork, form: "fork" });
      continue;
    }
    if (!isLate) listed.push({ ...place, form: "final" });
    const isLastEvent = final[index + 1]?.id !== id;
    const isYoung = withdrawn !== undefined && age < withdrawn[0];
    if (isLastEvent && isYoung && isStruck("withdrawn-rows", row, withdrawn[1]))
      listed.push({ ...place, form: "copy" });
  }
  // Rows that a fork moved come after the rows of the block, and a copy comes just after its row.
  const isCopy = ({ form }: ListedRow): number => Number(form === "copy");
  return listed.toSorted(
    (a, b) => a.block - b.block || a.moved - b.moved || a.row - b.row || isCopy(a) - isCopy(b),
  );
}

/** Undefined if the fork lacks the transaction. */
function forked(
  { key, clock }: Pool,
  seed: number,
  head: number,
  { blockNumber, time }: Transaction,
): Pick<ListedRow, "time" | "block" | "moved"> | undefined {
  const kind = hashText(seed, "reorg") ^ key;
  const fate = unitAt(kind, head);
  if (fate >= 0.85) return undefined;
  if (fate < 0.6) return { time, block: blockNumber, moved: 0 };
  const moved = 1 + belowAt(kind ^ 0x5bd1e995, head, 3);
  const block = blockNumber + moved;
  let second = time;
  // Blocks that are less than a second apart share a second.
  while (second < clock.genesis + block * clock.blockSeconds - 1e-5) second += 1;
  return { time: second, block, moved };
}
