import { belowAt, hashText, unitAt } from "./hash.ts";
import type { Pool } from "./pool.ts";
import type { FaultShare, MarketFaults } from "./types.ts";
import type { NetworkFacts } from "../well-known.ts";

/** Where a fork shows a transaction: the number of blocks after its own, or undefined if the fork lacks it. */
type ForkPlace = 0 | 1 | 2 | 3 | undefined;

export type Strikes = ReturnType<typeof createStrikes>;

/** Which rows are affected depends only on the seed, the kind and the row (or block). A larger share adds rows. */
export function createStrikes({ lateRows, withdrawnRows, reorgs }: MarketFaults, seed: number) {
  const lateKey = hashText(seed, "late-rows");
  const withdrawnKey = hashText(seed, "withdrawn-rows");
  const forkKey = hashText(seed, "reorg");
  const blockKeys = new Map<NetworkFacts, number>();
  const blockKey = (network: NetworkFacts): number => {
    const known = blockKeys.get(network);
    if (known !== undefined) return known;
    const made = hashText(forkKey, network.id);
    blockKeys.set(network, made);
    return made;
  };
  const rowSeconds = Math.max(0, ...[...lateRows, ...withdrawnRows].map(({ amount }) => amount));
  const forkBlocks = Math.max(0, ...reorgs.map(({ amount }) => amount)) + 1;
  return {
    hasForks: reorgs.length > 0,
    /** The age, in seconds, from which every row of the pool is final. */
    longestAge: ({ clock }: Pool): number =>
      reorgs.length === 0 ? rowSeconds : Math.max(rowSeconds, Math.ceil(forkBlocks * clock.blockSeconds) + 1),
    lateSeconds: ({ key }: Pool, row: number): number =>
      lateRows.length === 0 ? 0 : longest(lateRows, unitAt(lateKey ^ key, row)),
    withdrawnSeconds: ({ key }: Pool, row: number): number =>
      withdrawnRows.length === 0 ? 0 : longest(withdrawnRows, unitAt(withdrawnKey ^ key, row)),
    /** How many later blocks end the fork at this block; 0 if there is none. The same for all pools of a network. */
    forkBlocks: ({ network }: Pool, block: number): number =>
      reorgs.length === 0 ? 0 : longest(reorgs, unitAt(blockKey(network), block)),
    /** Added to the transaction indexes of a fork's block. */
    indexShift: ({ network }: Pool, block: number): number =>
      1 + belowAt(blockKey(network) ^ 0x5bd1e995, block, 40),
    forkPlace: ({ key }: Pool, head: number): ForkPlace => {
      const unit = unitAt(forkKey ^ key, head);
      if (unit < 0.6) return 0;
      if (unit >= 0.85) return undefined;
      return LATER[belowAt(forkKey ^ key ^ 0x5bd1e995, head, LATER.length)];
    },
  };
}

/** The pools that searches list at this time. A late one has rows and prices from its creation on. */
export function listedPools(
  pools: readonly Pool[],
  at: number,
  { latePools }: MarketFaults,
  seed: number,
): readonly Pool[] {
  if (latePools.length === 0) return pools;
  const lateKey = hashText(seed, "late-pools");
  return pools.filter(({ key, createdAt }) => at - createdAt >= longest(latePools, unitAt(lateKey, key)));
}

const LATER = [1, 2, 3] as const;

function longest(faults: readonly FaultShare[], unit: number): number {
  let most = 0;
  for (const { amount, share } of faults) if (unit < share && amount > most) most = amount;
  return most;
}
