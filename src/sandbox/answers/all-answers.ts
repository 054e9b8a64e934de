import type { EndpointId } from "../../api/endpoints/all.ts";
import type { Answer } from "./answer.ts";
import { answerDexes, answerNetworks, answerUsage } from "./whole-service.ts";
import { answerMultiPrices } from "./price-batch.ts";
import { answerPoolOhlcv, answerTokenOhlcv } from "./candle-answers.ts";
import { answerPoolTransactions } from "./transaction-pages.ts";
import { answerPoolsSearch } from "./pool-search.ts";
import { answerPool, answerToken } from "./pool-and-token.ts";
import { answerSearch } from "./word-search.ts";
import { answerTokensSearch } from "./token-search.ts";

export const answers: Readonly<Record<EndpointId, Answer>> = {
  networks: answerNetworks,
  dexes: answerDexes,
  pool: answerPool,
  pool_transactions: answerPoolTransactions,
  pool_ohlcv: answerPoolOhlcv,
  token_ohlcv: answerTokenOhlcv,
  token: answerToken,
  network_tokens_search: answerTokensSearch,
  tokens_search: answerTokensSearch,
  network_pools_search: answerPoolsSearch,
  pools_search: answerPoolsSearch,
  search: answerSearch,
  multi_prices: answerMultiPrices,
  usage: answerUsage,
};
