import type { BlockClock } from "./catalogue.ts";
import { DAY } from "./catalogue.ts";
import { belowAt, hashText } from "./hash.ts";
import type { AddressFamily, NetworkFacts } from "./types.ts";
import type { NetworkRow } from "./well-known.ts";

const FAMILIES: readonly AddressFamily[] = ["evm", "solana", "sui", "aptos", "tron", "ton"];

// One block of each is public; the other networks count from a made-up day.
const GENESIS: Readonly<Record<string, number>> = {
  ethereum: Date.parse("2026-09-28T13:07:36Z") / 1000 - 26_076_150 * 12,
  solana: Math.round(Date.parse("2023-11-26T20:25:08Z") / 1000 - 232_424_998 * 0.4),
};

export function makeNetwork(row: NetworkRow): NetworkFacts {
  const addressFamily = FAMILIES.find((family) => family === row.family) ?? "evm";
  return { id: row.id, displayName: row.displayName, addressFamily, blockSeconds: row.blockSeconds };
}

export function makeBlockClock(network: NetworkFacts): BlockClock {
  const made = Date.UTC(2019, 0, 1) / 1000 + belowAt(hashText(0, network.id), 0, 400) * DAY;
  return { blockSeconds: network.blockSeconds, genesis: GENESIS[network.id] ?? made };
}
