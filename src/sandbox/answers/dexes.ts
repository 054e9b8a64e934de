import type { JsonObject } from "../json-writer.ts";
import type { DexFacts, Market, NetworkFacts } from "../market/types.ts";
import { type Answer, networkOf } from "./answer.ts";
import { pageInfo, readPage } from "./numbered-page.ts";

const DAY = 86_400;

/** Wire-facts 4.2. `order_by` has one value, `pool`: by the number of pools, which is also the default. */
export const answerDexes: Answer = (asked) => {
  const network = networkOf(asked);
  const { query, at, state } = asked;
  const asPage = readPage(query);
  query.choice("order_by", ["pool"]);
  const sort = query.choice("sort", ["asc", "desc"]) ?? "desc";
  const key = JSON.stringify([network.id, at]);
  const rows = state.dexLists.get(key, () => listDexes(asked.market, network, at));
  const ordered = sort === "asc" ? rows.toReversed() : rows;
  // The public service sends all of them, whatever page is asked for, with totals of 0.
  if (asked.dialect === "public") {
    return { dexes: ordered, page_info: { limit: asPage.limit, page: 0, total_items: 0, total_pages: 0 } };
  }
  const first = (asPage.page - 1) * asPage.limit;
  return { dexes: ordered.slice(first, first + asPage.limit), page_info: pageInfo(asPage, rows.length) };
};

/** Most pools first. */
function listDexes(market: Market, network: NetworkFacts, at: number): readonly JsonObject[] {
  const sums = new Map<DexFacts, { volume: number; txns: number; pools: number }>();
  for (const dex of market.dexes(network)) sums.set(dex, { volume: 0, txns: 0, pools: 0 });
  for (const pool of market.pools(network, at)) {
    const sum = sums.get(pool.dex);
    if (sum === undefined) continue;
    const { volumeUsd, txns } = market.poolActivity(pool, at, DAY);
    sum.volume += volumeUsd;
    sum.txns += txns;
    sum.pools += 1;
  }
  return [...sums]
    .toSorted(([, a], [, b]) => b.pools - a.pools)
    .map(([dex, { volume, txns, pools }]) => ({
      chain: network.id,
      dex_id: dex.dexId,
      dex_name: dex.dexName,
      protocol: dex.protocol,
      volume_usd_24h: volume,
      txns_24h: txns,
      pools_count: pools,
    }));
}
