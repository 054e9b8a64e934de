import type { Endpoint } from "../../contract/endpoint.ts";
import type { Positional } from "../command.ts";

/** Endpoints that share their words are one command. */
export function commandGroups(all: readonly Endpoint[]): readonly (readonly [Endpoint, ...Endpoint[]])[] {
  const groups = new Map<string, [Endpoint, ...Endpoint[]]>();
  for (const endpoint of all) {
    const known = groups.get(endpoint.command);
    if (known === undefined) groups.set(endpoint.command, [endpoint]);
    else known.push(endpoint);
  }
  return [...groups.values()];
}

/** The words of a command of the service that are no flags. */
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

/** Whether several addresses make one command. */
export const takesMany = ({ reply }: Endpoint): boolean => reply.kind === "single" || reply.kind === "batch";

export function takesAddress(endpoint: Endpoint): boolean {
  return (
    endpoint.reply.kind === "batch" || endpoint.params.filter(({ place }) => place === "path").length === 2
  );
}

export function takesNetwork(endpoint: Endpoint): boolean {
  return endpoint.path.includes("{network}");
}
