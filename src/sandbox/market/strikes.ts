import type { Faults, FaultName } from "../fault-kinds.ts";
import { belowAt, hashText, unitAt } from "./hash.ts";
import type { Pool } from "./pool.ts";

export type Strikes = ReturnType<typeof createStrikes>;

/** Which rows are affected depends only on the seed, the kind and the row (or block). A larger share adds rows. */
export function createStrikes(faults: Faults, seed: number) {
  const lateRows = createStrike("late-rows", faults, seed);
  const latePools = createStrike("late-pools", faults, seed);
  const withdrawnRows = createStrike("withdrawn-rows", faults, seed);
  const reorgs = createStrike("reorg", faults, seed);
  const blockKey = ({ network }: Pool): number => hashText(reorgs.key, network.id);
  const rowSeconds = Math.max(lateRows.most, withdrawnRows.most);
  const hasForks = reorgs.most > 0;
  return {
    /** The age, in seconds, from which every row of the pool is final. */
    longestAge: ({ clock }: Pool): number =>
      hasForks ? Math.max(rowSeconds, Math.ceil((reorgs.most + 1) * clock.blockSeconds) + 1) : rowSeconds,
    lateSeconds: ({ key }: Pool, row: number): number => lateRows.longest(lateRows.key ^ key, row),
    withdrawnSeconds: ({ key }: Pool, row: number): number =>
      withdrawnRows.longest(withdrawnRows.key ^ key, row),
    /** How many later blocks end the fork at this block; 0 if there is none. The same for all pools of a network. */
    forkBlocks: (pool: Pool, block: number): number => (hasForks ? reorgs.longest(blockKey(pool), block) : 0),
    /** Added to the transaction indexes of a fork's block. */
    indexShift: (pool: Pool, block: number): number => 1 + belowAt(blockKey(pool) ^ 0x5bd1e995, block, 40),
    /** Where a fork shows a transaction: 0 to 3 blocks after its own, or undefined if the fork lacks it. */
    forkPlace: ({ key }: Pool, head: number): number | undefined => {
      const unit = unitAt(reorgs.key ^ key, head);
      if (unit < 0.6) return 0;
      return unit < 0.85 ? 1 + belowAt(reorgs.key ^ key ^ 0x5bd1e995, head, LONGEST_MOVE) : undefined;
    },
    /** The pools that searches list at this time. A late one has rows and prices from its creation on. */
    listedPools: (pools: readonly Pool[], at: number): readonly Pool[] =>
      latePools.most === 0
        ? pools
        : pools.filter(({ key, createdAt }) => at - createdAt >= latePools.longest(latePools.key, key)),
    /** The age of the oldest transaction that is listed. */
    reachSeconds: createStrike("reach", faults, seed).least,
  };
}

/** A fork moves a transaction at most this many blocks. */
const LONGEST_MOVE = 3;

function createStrike(kind: FaultName, faults: Faults, seed: number) {
  const shares = faults
    .filter((fault) => fault.kind === kind)
    .map(({ amount = 0, when }) => ({
      // The clock has whole seconds; a number of blocks is not a time.
      amount: kind === "reorg" ? amount : Math.ceil(amount / 1000),
      share: when.by === "rate" ? when.share : 1,
    }));
  return {
    key: hashText(seed, kind),
    most: Math.max(0, ...shares.map(({ amount }) => amount)),
    least: Math.min(...shares.map(({ amount }) => amount)),
    longest: (key: number, place: number): number => {
      if (shares.length === 0) return 0;
      const unit = unitAt(key, place);
      let longest = 0;
      for (const { amount, share } of shares) if (unit < share && amount > longest) longest = amount;
      return longest;
    },
  };
}
