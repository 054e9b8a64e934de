import type { ContractEndpoint } from "../endpoint.ts";
import { dexes } from "./dexes.ts";
import { multiPrices } from "./multi-prices.ts";
import { networks } from "./networks.ts";
import { poolOhlcv, tokenOhlcv } from "./ohlcv.ts";
import { poolTransactions } from "./pool-transactions.ts";
import { pool } from "./pool.ts";
import { search } from "./search.ts";
import { networkPoolsSearch, networkTokensSearch, poolsSearch, tokensSearch } from "./searches.ts";
import { token } from "./token.ts";
import { usage } from "./usage.ts";

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

/** The ids of all endpoints. A table by this type does not compile without an entry for each. */
export type EndpointId = (typeof all)[number]["id"];

/** Every REST endpoint, in the order of help. Endpoints of one command stand together, the usual one first. */
export const endpoints: readonly ContractEndpoint<EndpointId>[] = all;
