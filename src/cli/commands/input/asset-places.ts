import type { AddressOf } from "../../../api/known-networks.ts";
import type { RunInput } from "../../run/run-options.ts";
import { chooseEndpoint, type EndpointGroup, takesAddress } from "./positionals.ts";

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

export interface NamedInput extends RunInput {
  readonly words: readonly string[];
}

export function placesOf(group: EndpointGroup, { words, typed }: NamedInput): AssetPlaces {
  const { command, path, ifOtherKind } = chooseEndpoint(group, typed, words.length > 0);
  const takes = path.includes("{pool_address}") || typed.has("pool") ? "pool" : "token";
  return { command, takes, ifOtherKind, words: takesAddress(group[0]) ? "all" : "none" };
}
