import type { Endpoint } from "../../contract/endpoint.ts";
import type { Positional } from "../command.ts";
import { usageFailure } from "../../contract/failure.ts";
import type { Param } from "../../contract/param.ts";
import type { TypedFlags } from "../../run/flags/flag.ts";

export function commandGroups(all: readonly Endpoint[]): readonly (readonly [Endpoint, ...Endpoint[]])[] {
  const groups = new Map<string, [Endpoint, ...Endpoint[]]>();
  for (const endpoint of all) {
    const known = groups.get(endpoint.command);
    if (known === undefined) groups.set(endpoint.command, [endpoint]);
    else known.push(endpoint);
  }
  return [...groups.values()];
}

export function positionals(group: readonly [Endpoint, ...Endpoint[]]): readonly Positional[] {
  const [endpoint] = group;
  if (endpoint.words !== undefined) return [{ name: endpoint.words }];
  const isOptional = group.some((other) => !takesNetwork(other));
  const network: Positional = { name: "network", ...(isOptional && { isOptional }), suggests: "networks" };
  const before = takesNetwork(endpoint) ? [network] : [];
  if (!takesAddress(endpoint)) return before;
  const isOfPools = group.every(({ path }) => path.includes("{pool_address}"));
  const address: Positional = takesMany(endpoint)
    ? { name: "address", isRepeatable: true, isList: true, suggests: "addresses" }
    : isOfPools
      ? { name: "pool" }
      : { name: "address", suggests: "addresses" };
  return [...before, address];
}

export const takesMany = ({ reply }: Endpoint): boolean => reply.kind === "single" || reply.kind === "batch";

export function takesAddress(endpoint: Endpoint): boolean {
  return (
    endpoint.reply.kind === "batch" || endpoint.params.filter(({ place }) => place === "path").length === 2
  );
}

export function takesNetwork(endpoint: Endpoint): boolean {
  return endpoint.path.includes("{network}");
}

/**
 * Selects an endpoint by a flag (`ohlcv --pool`) or by whether a network is named (`pools search [network]`). Rejects
 * flags for the other endpoints, because the service would silently ignore them.
 */
export function chooseEndpoint(group: readonly Endpoint[], typed: TypedFlags, hasNetwork: boolean): Endpoint {
  const byFlag = group.find(({ chosenBy }) => chosenBy !== undefined && typed.has(chosenBy));
  const usual = group.filter(({ chosenBy }) => chosenBy === undefined);
  const chosen = byFlag ?? usual.find((endpoint) => takesNetwork(endpoint) === hasNetwork) ?? usual[0];
  if (chosen === undefined) throw new Error("a command without an endpoint");
  for (const other of group) {
    const foreign = other.params.find((param) => isGiven(param, typed) && !hasFlag(chosen, param.flag));
    if (foreign !== undefined) throw foreignFlag(foreign, other, hasNetwork);
  }
  return chosen;
}

function isGiven({ flag }: Param, typed: TypedFlags): boolean {
  return flag !== undefined && typed.has(flag);
}

function hasFlag(endpoint: Endpoint, flag: string | undefined): boolean {
  return endpoint.params.some((param) => param.flag === flag);
}

function foreignFlag(param: Param, owner: Endpoint, hasNetwork: boolean): Error {
  if (owner.chosenBy !== undefined) return usageFailure(`--${param.flag} requires --${owner.chosenBy}`);
  if (hasNetwork)
    return usageFailure(`--${param.flag} cannot be used with a network argument`, "use only one of them");
  return usageFailure(
    `--${param.flag} requires a network: the search across networks ignores it`,
    `dexdata ${owner.command} <network> --${param.flag} …`,
  );
}
