import { endpoints } from "../../../src/endpoints/all.ts";
import type { Endpoint, EndpointId } from "../../../src/model/endpoint.ts";
import { madeUpAddress, madeUpAnswer } from "./made-up-answer.ts";

/** A command, and what a sound service would answer it. */
export interface HostileCommand {
  readonly words: string;
  readonly endpoint: Endpoint;
  readonly sound: string;
  /** Passed on as it comes, whatever JSON it is. */
  readonly isRaw: boolean;
  /** One of each kind of reply: what happens below the rows is the same for all of a kind. */
  readonly isOfKind: boolean;
}

/** For each endpoint the words that ask for it: an endpoint without them does not compile. */
const words: Readonly<Record<EndpointId, string>> = {
  networks: "networks",
  dexes: "dexes ethereum",
  pool: `pool ethereum ${madeUpAddress}`,
  pool_transactions: `txns ethereum ${madeUpAddress}`,
  pool_ohlcv: `ohlcv ethereum ${madeUpAddress} --pool --from -1h`,
  token_ohlcv: `ohlcv ethereum ${madeUpAddress} --from -1h`,
  token: `token ethereum ${madeUpAddress}`,
  network_tokens_search: "tokens search ethereum",
  tokens_search: "tokens search",
  network_pools_search: "pools search ethereum",
  pools_search: "pools search",
  search: "search weth",
  multi_prices: `prices ethereum ${madeUpAddress}`,
  usage: "usage",
};

const ofEndpoints: readonly HostileCommand[] = endpoints.map((endpoint, index) => ({
  words: words[endpoint.id],
  endpoint,
  sound: JSON.stringify(madeUpAnswer(endpoint)),
  isRaw: false,
  isOfKind: endpoints.findIndex(({ reply }) => reply.kind === endpoint.reply.kind) === index,
}));

/** Every endpoint by its command, and one by its path. */
export const commands: readonly HostileCommand[] = [
  ...ofEndpoints,
  ...ofEndpoints
    .filter(({ endpoint }) => endpoint.id === "networks")
    .map((command) => ({ ...command, words: "api /networks", isRaw: true })),
];
