import { batchParam, traitsOf } from "../../../api/reply.ts";
import type { Endpoint, Args } from "../../../api/endpoint.ts";
import type { Positional } from "../command.ts";
import { groupBy } from "../../../base/group-by.ts";
import { usageFailure } from "../../../base/failure.ts";
import type { Param } from "../../../api/param.ts";
import type { TypedFlags } from "../../run/flags/flag.ts";
import type { AddressOf } from "../../../api/known-networks.ts";
import type { RunInput } from "../../run/run-options.ts";

/** The endpoints of one command. */
export type EndpointGroup = readonly [Endpoint, ...Endpoint[]];

export function commandGroups(all: readonly Endpoint[]): readonly EndpointGroup[] {
  return [...groupBy(all, ({ command }) => command).values()];
}

export function positionals(group: EndpointGroup): readonly Positional[] {
  const [endpoint] = group;
  if (endpoint.words !== undefined) return [{ name: endpoint.words }];
  const isOptional = group.some((other) => !takesNetwork(other));
  const network: Positional = { name: "network", ...(isOptional && { isOptional }), suggests: "networks" };
  const before = takesNetwork(endpoint) ? [network] : [];
  if (!takesAddress(endpoint)) return before;
  const isOfPools = group.every(({ path }) => path.includes("{pool_address}"));
  const named = isOfPools && !traitsOf(endpoint.reply).isRecord ? "pool" : "address";
  return [...before, { name: named, isRepeatable: true, isList: true, suggests: "addresses" }];
}

export function takesAddress(endpoint: Endpoint): boolean {
  return (
    batchParam(endpoint.reply) !== undefined ||
    endpoint.params.filter(({ place }) => place === "path").length === 2
  );
}

export function takesNetwork(endpoint: Endpoint): boolean {
  return endpoint.path.includes("{network}");
}

/** The words that select the endpoint and its path on the command line. */
export function commandWords({ command, params, chosenBy }: Endpoint, args: Args): readonly string[] {
  const taken = params.filter(({ place }) => place === "path").flatMap(({ name }) => args.get(name) ?? []);
  const words = [...command.split(" "), ...taken];
  return chosenBy === undefined ? words : [...words, `--${chosenBy}`];
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
    const foreign = other.params.find(
      ({ flag }) => flag !== undefined && typed.has(flag) && !chosen.params.some((own) => own.flag === flag),
    );
    if (foreign !== undefined) throw foreignFlag(foreign, other, hasNetwork);
  }
  return chosen;
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

/** Where a command line has assets. */
export interface AssetPlaces {
  /** The words of the command. */
  readonly command: string;
  /** Undefined if the command takes both. */
  readonly takes: AddressOf | undefined;
  readonly ifOtherKind?: string | undefined;
  /** Which arguments are assets. Only if all of them are, the first one can be the network of the others. */
  readonly words: "all" | "after the first" | "none";
}

export function placesOf(group: EndpointGroup, { words, typed }: RunInput): AssetPlaces {
  const { command, path, ifOtherKind } = chooseEndpoint(group, typed, words.length > 0);
  const takes = path.includes("{pool_address}") || typed.has("pool") ? "pool" : "token";
  return { command, takes, ifOtherKind, words: takesAddress(group[0]) ? "all" : "none" };
}
