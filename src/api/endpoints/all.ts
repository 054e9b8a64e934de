import type { ContractEndpoint } from "../endpoint.ts";
import { poolOhlcv, tokenOhlcv } from "./ohlcv.ts";
import { pool, token } from "./pool-and-token.ts";
import { poolTransactions } from "./pool-transactions.ts";
import { multiPrices } from "./prices.ts";
import { search } from "./search.ts";
import { networkPoolsSearch, networkTokensSearch, poolsSearch, tokensSearch } from "./searches.ts";
import { dexes, networks, usage } from "./whole-service.ts";

const all = [
  pool,
  poolTransactions,
  multiPrices,
  token,
  networkTokensSearch,
  tokensSearch,
  networkPoolsSearch,
  poolsSearch,
  search,
  tokenOhlcv,
  poolOhlcv,
  networks,
  dexes,
  usage,
] as const;

/** A table with this type as its key does not compile unless it has an entry for each ID. */
export type EndpointId = (typeof all)[number]["id"];

/** In the order used in help. A command's most common endpoint comes first. */
export const endpoints: readonly ContractEndpoint<EndpointId>[] = all;
