import type { ContractEndpoint } from "../endpoint.ts";
import { dexes } from "./dexes.ts";
import { multiPrices } from "./multi-prices.ts";
import { networks } from "./networks.ts";
import { poolOhlcv, tokenOhlcv } from "./ohlcv.ts";
import { poolTransactions } from "./pool-transactions.ts";
import { networkPoolsSearch, poolsSearch } from "./pools-search.ts";
import { pool } from "./pool.ts";
import { search } from "./search.ts";
import { networkTokensSearch, tokensSearch } from "./tokens-search.ts";
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

/** The names of all of them: the compiler asks for whatever has to be there for each. */
export type EndpointId = (typeof all)[number]["id"];

/** Every REST endpoint, in the order of help. Endpoints of one command stand together, the usual one first. */
export const endpoints: readonly ContractEndpoint<EndpointId>[] = all;
