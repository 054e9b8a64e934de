import { type Answer, networkOf, pageInfo, readPage, supportedNetworks } from "./answer.ts";
import type { JsonObject } from "../wire/json-writer.ts";
import type { Market } from "../market/market.ts";
import { dexTotals, poolsOfDex } from "./figures.ts";
import { describeCredits, describeOverage } from "../service/billing-refusals.ts";
import { writeInstant } from "../wire/request-times.ts";
import type { NetworkFacts } from "../well-known.ts";

/** Wire-facts 4.1. The service may omit the three counts, and computing them would generate every market. */
export const answerNetworks: Answer = (asked) =>
  supportedNetworks(asked).map(({ id, displayName }) => ({ id, display_name: displayName }));

/** Wire-facts 4.2. The only `order_by` is `pool`, the number of pools, which is also the default. */
export const answerDexes: Answer = (asked) => {
  const network = networkOf(asked);
  const { query, at, state } = asked;
  const asPage = readPage(query);
  query.choice("order_by", ["pool"]);
  const sort = query.choice("sort", ["asc", "desc"]) ?? "desc";
  const key = JSON.stringify([asked.market.faultName, network.id, at]);
  const rows = state.dexLists.recall(key, () => listDexes(asked.market, network, at));
  const ordered = sort === "asc" ? rows.toReversed() : rows;
  // The public service sends all rows for any page, with zero totals.
  if (asked.dialect === "public") {
    return { dexes: ordered, page_info: { limit: asPage.limit, page: 0, total_items: 0, total_pages: 0 } };
  }
  const first = (asPage.page - 1) * asPage.limit;
  return { dexes: ordered.slice(first, first + asPage.limit), page_info: pageInfo(asPage, rows.length) };
};

function listDexes(market: Market, network: NetworkFacts, at: number): readonly JsonObject[] {
  return market
    .dexes(network)
    .map((dex) => ({ dex, pools: poolsOfDex(market, dex, at) }))
    .toSorted((a, b) => b.pools.length - a.pools.length)
    .map(({ dex, pools }) => ({
      chain: network.id,
      dex_id: dex.dexId,
      dex_name: dex.dexName,
      protocol: dex.protocol,
      ...dexTotals(market, pools, at),
    }));
}

/** Wire-facts 4.12. Only the public service has this endpoint. */
export const answerStats: Answer = function* stats(asked) {
  const { market, at } = asked;
  const networks = supportedNetworks(asked);
  for (const network of networks) yield* market.prepare(network);
  const total = (count: (network: (typeof networks)[number]) => number): number =>
    networks.reduce((sum, network) => sum + count(network), 0);
  return {
    chains: networks.length,
    factories: total((network) => market.dexes(network).length),
    pools: total((network) => market.pools(network, at).length),
    tokens: total((network) => market.tokens(network, at).length),
  };
};

/** Specification, "Other endpoints": usage for the billing period is returned only for a key on the paid host. */
export const answerUsage: Answer = ({ account, at, request }) => {
  const { tier, credits } = account;
  if (request.host === "rest_free") return { plan: tier };
  return {
    plan: tier,
    credits: describeCredits(tier, credits, at),
    overage: tier === "pro" ? describeOverage(credits, at) : undefined,
    resets_at: writeInstant(credits.resetsAt(at)),
  };
};
