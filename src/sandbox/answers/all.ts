import type { EndpointId } from "../../contract/endpoints/all.ts";
import type { Answer } from "./answer.ts";
import { answerDexes } from "./dexes.ts";
import { answerMultiPrices } from "./multi-prices.ts";
import { answerNetworks } from "./networks.ts";
import { answerPoolOhlcv, answerTokenOhlcv } from "./ohlcv.ts";
import { answerPoolTransactions } from "./pool-transactions.ts";
import { answerNetworkPoolsSearch, answerPoolsSearch } from "./pools-search.ts";
import { answerPool } from "./pool.ts";
import { answerSearch } from "./search.ts";
import { answerNetworkTokensSearch, answerTokensSearch } from "./tokens-search.ts";
import { answerToken } from "./token.ts";
import { answerUsage } from "./usage.ts";

/** An endpoint of the contract without an answer does not compile. */
export const answers: Readonly<Record<EndpointId, Answer>> = {
  networks: answerNetworks,
  dexes: answerDexes,
  pool: answerPool,
  pool_transactions: answerPoolTransactions,
  pool_ohlcv: answerPoolOhlcv,
  token_ohlcv: answerTokenOhlcv,
  token: answerToken,
  network_tokens_search: answerNetworkTokensSearch,
  tokens_search: answerTokensSearch,
  network_pools_search: answerNetworkPoolsSearch,
  pools_search: answerPoolsSearch,
  search: answerSearch,
  multi_prices: answerMultiPrices,
  usage: answerUsage,
};
