import { type EndpointId, endpoints } from "../../../src/api/endpoints/all.ts";
import type { Endpoint } from "../../../src/api/endpoint.ts";
import { usualWords } from "../usual-asking.ts";
import { madeUpAddress, madeUpAnswer } from "./made-up-answer.ts";

/** A command, and the response of a correct service. */
export interface HostileCommand {
  readonly words: string;
  readonly endpoint: Endpoint;
  readonly sound: string;
  /** Passed on unchanged, for any JSON. */
  readonly isRaw: boolean;
  /** One command per kind of reply: below the rows, all commands of a kind behave the same. */
  readonly isOfKind: boolean;
}

const sample = { network: "ethereum", pool_address: madeUpAddress, token_address: madeUpAddress };

/** The words that call an endpoint, if they are more than its command and path parameters. */
const words: Readonly<Partial<Record<EndpointId, string>>> = {
  pool_ohlcv: `ohlcv ethereum ${madeUpAddress} --pool --from -1h`,
  token_ohlcv: `ohlcv ethereum ${madeUpAddress} --from -1h`,
  search: "search weth",
  multi_prices: `prices ethereum ${madeUpAddress}`,
};

const ofEndpoints: readonly HostileCommand[] = endpoints.map((endpoint, index) => ({
  words: words[endpoint.id] ?? usualWords(endpoint, sample),
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
