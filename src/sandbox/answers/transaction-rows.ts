import type { JsonObject } from "../json-writer.ts";
import type { Market, Transaction } from "../market/types.ts";

/** Specification, resource Transaction: these 18 fields; the two USD prices are left out where there is none. */
export function specifiedTransaction(row: Transaction, createdAt: string): JsonObject {
  const [token0, token1] = row.pool.tokens;
  return {
    id: row.id,
    log_index: row.logIndex,
    transaction_index: row.transactionIndex,
    pool_id: row.pool.id,
    sender: row.sender,
    recipient: numericId(row.recipient),
    token_0: token0?.address,
    token_0_symbol: token0?.symbol,
    token_1: token1?.address,
    token_1_symbol: token1?.symbol,
    amount_0: String(row.amount0),
    amount_1: String(row.amount1),
    price_0: row.price0,
    price_1: row.price1,
    price_0_usd: row.price0Usd,
    price_1_usd: row.price1Usd,
    created_at_block_number: row.blockNumber,
    created_at: createdAt,
  };
}

/** Wire-facts 4.6: the 24 keys of the public service, with amounts as integers of any length. */
export function publicTransaction(market: Market, row: Transaction, createdAt: string): JsonObject {
  const [token0, token1] = row.pool.tokens;
  return {
    ...specifiedTransaction(row, createdAt),
    factory_id: row.pool.dex.factoryId,
    chain: row.pool.network.id,
    recipient: row.recipient,
    amount_0: row.amount0,
    amount_1: row.amount1,
    volume_0: unsigned(row.amount0, token0?.decimals),
    volume_1: unsigned(row.amount1, token1?.decimals),
    created_at_block_hash: market.blockHash(row),
    canonical_chain: true,
  };
}

function unsigned(amount: bigint, decimals = 0): number {
  return Math.abs(Number(amount)) / 10 ** decimals;
}

/** The specification types `recipient` as a number, "address or numeric id": a made-up id of the address, exact as a double. */
function numericId(address: string): number {
  const known = ids.get(address);
  if (known !== undefined) return known;
  const id = makeNumericId(address);
  if (ids.size < IDS_KEPT) ids.set(address, id);
  return id;
}

// The traders of several networks.
const ids = new Map<string, number>();
const IDS_KEPT = 50_000;

function makeNumericId(address: string): number {
  let [high, low] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < address.length; index++) {
    const code = address.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ high ^ code, 0x85ebca6b);
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}
