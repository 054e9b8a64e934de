import type { Endpoint } from "../../contract/endpoint.ts";

/** Endpoints that share their words are one command. */
export function commandGroups(all: readonly Endpoint[]): readonly (readonly Endpoint[])[] {
  const groups = new Map<string, Endpoint[]>();
  for (const endpoint of all)
    groups.set(endpoint.command, [...(groups.get(endpoint.command) ?? []), endpoint]);
  return [...groups.values()];
}

/** The words of a command as help shows them. */
export function usageOf(group: readonly Endpoint[]): string {
  const [endpoint] = group;
  if (endpoint === undefined) return "";
  return [endpoint.command, ...positionals(group).map(({ shown }) => shown)].join(" ");
}

interface Positional {
  readonly shown: string;
  readonly help: string;
}

export function positionals(group: readonly Endpoint[]): readonly Positional[] {
  const [endpoint] = group;
  if (endpoint === undefined) return [];
  if (endpoint.id === "search") return [{ shown: "<query>", help: "name, symbol or address" }];
  const shown: Positional[] = [];
  if (takesNetwork(endpoint)) {
    const isOptional = group.some((other) => !takesNetwork(other));
    shown.push({
      shown: isOptional ? "[network]" : "<network>",
      help: "network slug, as `dexdata networks` lists it",
    });
  }
  if (!takesAddress(endpoint)) return shown;
  const many = {
    shown: "<address…|@file|->",
    help: "one or more; @file and - (stdin) read a list; network:address names both",
  };
  const isOfPools = group.every(({ path }) => path.includes("{pool_address}"));
  const one = { shown: isOfPools ? "<pool>" : "<address>", help: "or network:address in one word" };
  return [...shown, takesMany(endpoint) ? many : one];
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
