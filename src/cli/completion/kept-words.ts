import type { Context } from "../../context/context.ts";
import { NETWORK_ROWS } from "../../sandbox/market/well-known.ts";
import { readCredentials } from "../../settings/credentials.ts";
import { readNewestList } from "../../settings/list-cache.ts";
import { listEnding } from "../asking/list-ending.ts";
import type { Candidate } from "./completion.ts";

type Surroundings = Pick<Context, "env" | "platform">;

/** The service's networks, as it listed them to this machine last; until it has, those that the sandbox is made of. */
export function knownNetworks(context: Surroundings): readonly Candidate[] {
  const kept = typable(readNewestList(context, listEnding("networks", undefined)));
  return kept.length > 0
    ? kept
    : NETWORK_ROWS.map(({ id, displayName }) => ({ word: id, description: displayName }));
}

/** The DEXes of a network, if the service ever listed them to this machine. */
export function knownDexes(context: Surroundings, network: string): readonly Candidate[] {
  return network === "" ? [] : typable(readNewestList(context, listEnding("dexes", network)));
}

/** Names only; the keys stay where they are. */
export function storedProfiles(context: Surroundings): readonly Candidate[] {
  const { profiles } = readCredentials(context);
  return typable([...profiles].map(([name, { tier }]) => `${name}\t${tier}`));
}

/**
 * A shell puts the word into the line as it is, so one that means something to a shell is left out: what the service
 * says must not become a command.
 */
function typable(texts: readonly string[]): readonly Candidate[] {
  return texts
    .map((text) => text.split("\t"))
    .map(([word = "", description = ""]) => ({ word, description }))
    .filter(({ word }) => /^[\w.][\w.+-]*$/u.test(word));
}
