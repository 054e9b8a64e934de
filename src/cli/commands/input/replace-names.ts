import { addressFault, type AddressOf, wellKnownNetworks } from "../../../api/known-networks.ts";
import type { Context } from "../../../base/context/context.ts";
import { invalidInput, usageFailure } from "../../../base/failure.ts";
import { refuseUrl } from "../../../api/read-param.ts";
import { isAssetName, type NamedAsset } from "../../settings/asset-names.ts";
import { nameOf } from "../../../client/subject.ts";
import { createNameFinder, isKnownNetwork, type NameFinder } from "../../run/asset-names.ts";
import type { TypedFlags } from "../../run/flags/flag.ts";
import { readRunOptions, type RunInput } from "../../run/run-options.ts";
import { isList, splitPair } from "./subjects.ts";
import type { AssetPlaces } from "./positionals.ts";

/**
 * Replaces names by addresses before anything else reads the command line, so that checkpoints, receipts and printed
 * commands contain addresses. A word that is neither fails, or leads to a question at a terminal. `places` is read only
 * if a word can be a name.
 */
export async function withoutNames<I extends RunInput>(
  input: I,
  context: Context,
  places: () => AssetPlaces,
): Promise<I> {
  const { words, typed } = input;
  const canHaveNames = words.some(canBeName) || typed.has("token") || typed.has("in");
  return canHaveNames ? { ...input, ...(await replaceNames(input, context, places())) } : input;
}

function canBeName(word: string, index: number): boolean {
  return isAssetName(word) && (index > 0 || !wellKnownNetworks.has(word));
}

async function replaceNames(input: RunInput, context: Context, places: AssetPlaces): Promise<RunInput> {
  const options = readRunOptions(input, context);
  const names = createNameFinder(context, options);
  let credits = 0;
  /** A repeated word leads to one question only. */
  const chosenBefore = new Map<string, NamedAsset>();
  const find = async (word: string, network: string | undefined, takes: AddressOf | undefined) => {
    const key = `${network} ${takes} ${word.toLowerCase()}`;
    const known = chosenBefore.get(key) ?? names.find(word, network);
    if (known !== undefined) return checkedKind(word, known, takes, places);
    // Only the service knows the addresses of this network.
    if (network !== undefined && addressFault(network, word, takes ?? "token") === undefined)
      return undefined;
    const { canAsk, chooseAsset } = await import("./choose-asset.ts");
    if (!canAsk(input, context, options)) throw names.unknown(word, undefined, network);
    const wanted = { word, network, kind: takes ?? "token", isTaken: names.find(word) !== undefined };
    const chosen = await chooseAsset(remaining(input, credits), context, wanted);
    credits += chosen.credits;
    chosenBefore.set(key, chosen.asset);
    return chosen.asset;
  };
  const fixed = { all: 0, "after the first": 1, none: input.words.length }[places.words];
  const [before, assets] = [input.words.slice(0, fixed), input.words.slice(fixed)];
  const network = places.words === "all" && isNetwork(context, assets, names) ? assets[0] : undefined;
  const words = [...before, ...(network === undefined ? [] : [network])];
  for (const word of network === undefined ? assets : assets.slice(1)) {
    const asset = isAssetName(word) ? await find(word, network, places.takes) : undefined;
    words.push(asset === undefined ? word : network === undefined ? nameOf(asset) : asset.address);
  }
  const typed = new Map(input.typed);
  const tokens: (string | undefined)[] = [];
  for (const word of ownTokens(typed, words[0], places.command)) {
    const asset = word !== undefined && isAssetName(word) ? await find(word, words[0], "token") : undefined;
    tokens.push(asset?.address ?? word);
  }
  if (tokens.length > 0) typed.set("token", tokens);
  const quote = typed.get("in")?.at(-1);
  const quoted =
    quote !== undefined && isAssetName(quote) ? await find(quote, undefined, "token") : undefined;
  const { flags } = remaining(input, credits);
  if (quoted === undefined) return { ...input, flags, words, typed };
  typed.set("in", [nameOf(quoted)]);
  return { ...input, flags: Object.assign({}, flags, { in: nameOf(quoted) }), words, typed };
}

/** The words of `--token`, without the search's network. All are checked before the first one leads to a question. */
function ownTokens(
  typed: TypedFlags,
  network: string | undefined,
  command: string,
): readonly (string | undefined)[] {
  const all = (typed.get("token") ?? []).flatMap((text) => text?.split(",") ?? [text]);
  return all.map((word) => {
    if (word === undefined) return undefined;
    refuseUrl(`--token "${word}"`, word, "an address or ID");
    const pair = splitPair(word);
    if (pair === undefined || pair.network === network) return pair?.address ?? word;
    throw invalidInput(
      `--token "${word}"`,
      `must be a token on ${network}, the network of the search`,
      `use ${network}:<address>, or search the other network: dexdata ${command} ${pair.network} --token ${pair.address}`,
    );
  });
}

/** The question has a client of its own, whose credits count as well. */
function remaining(input: RunInput, credits: number): RunInput {
  const most = input.flags["max-credits"];
  if (most === undefined || credits === 0) return input;
  return { ...input, flags: { ...input.flags, "max-credits": Math.max(0, most - credits) } };
}

/** A name is never the slug of a known network. Other networks are known by what follows them. */
function isNetwork(context: Context, [first = "", ...rest]: readonly string[], names: NameFinder): boolean {
  if (isList(first) || splitPair(first) !== undefined) return false;
  // A network alone names no asset.
  if (rest.length === 0 && names.find(first) !== undefined) return false;
  if (!isAssetName(first) || isKnownNetwork(context, first)) return true;
  if (names.find(first) !== undefined) return false;
  return rest.some((word) => isList(word) || (!isAssetName(word) && splitPair(word) === undefined));
}

function checkedKind(
  word: string,
  asset: NamedAsset,
  takes: AddressOf | undefined,
  { command, ifOtherKind }: AssetPlaces,
): NamedAsset {
  if (takes === undefined || asset.kind === undefined || asset.kind === takes) return asset;
  throw usageFailure(
    `"${word}" is the name of a ${asset.kind}, but ${command} takes ${takes}s`,
    ifOtherKind ?? `name the ${takes} as well: dexdata name add <name> <network:address>`,
  );
}
