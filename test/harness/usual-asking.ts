import type { Endpoint } from "../../src/contract/endpoint.ts";

/** What a test takes for the places in a path: a network, and an address for everything else. */
export interface Sample {
  readonly network: string;
  readonly pool_address: string;
  readonly token_address: string;
}

const placesOf = ({ path }: Endpoint): readonly (keyof Sample)[] =>
  [...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => {
    if (name === "network" || name === "pool_address" || name === "token_address") return name;
    throw new Error(`${path}: the tests have no sample of ${name}`);
  });

/** `token ethereum 0x1`: how an endpoint without requirements of its own is asked on the command line. */
export function usualWords(endpoint: Endpoint, sample: Sample): string {
  return [endpoint.command, ...placesOf(endpoint).map((name) => sample[name])].join(" ");
}

/** `/networks/ethereum/tokens/0x1`: its path; that it is the service's, test/interface.test.ts says. */
export function usualPath(endpoint: Endpoint, sample: Sample): string {
  return placesOf(endpoint).reduce((path, name) => path.replace(`{${name}}`, sample[name]), endpoint.path);
}
