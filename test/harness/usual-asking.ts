import type { Endpoint } from "../../src/api/endpoint.ts";

/** Values for the path parameters in tests: a network, and an address for everything else. */
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

/** Returns the words for an endpoint without requirements, e.g. `token ethereum 0x1`. */
export function usualWords(endpoint: Endpoint, sample: Sample): string {
  return [endpoint.command, ...placesOf(endpoint).map((name) => sample[name])].join(" ");
}

/**
 * Returns its path, e.g. `/networks/ethereum/tokens/0x1`; test/interface.test.ts verifies that it matches the service's.
 */
export function usualPath(endpoint: Endpoint, sample: Sample): string {
  return placesOf(endpoint).reduce((path, name) => path.replace(`{${name}}`, sample[name]), endpoint.path);
}
