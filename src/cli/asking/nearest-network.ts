import { nearest } from "../../text/nearest.ts";
import { networkAliases, wellKnownNetworks } from "./network-aliases.ts";

/** The slug among `known` that somebody most likely means: `eth` → `ethereum`. */
export function nearestNetwork(typed: string, known: ReadonlySet<string>): string | undefined {
  const alias = networkAliases.get(typed.toLowerCase());
  return alias !== undefined && known.has(alias) ? alias : nearest(typed, known);
}

/** Of these the first that no list of well-known ones has, with what may be meant; nothing is asked. */
export function hintAtNetworks(networks: readonly string[]): string {
  const unknown = networks.find((each) => !wellKnownNetworks.has(each));
  const near = unknown === undefined ? undefined : nearestNetwork(unknown, wellKnownNetworks);
  return near === undefined ? "list them: dexdata networks" : `did you mean ${near}?`;
}
