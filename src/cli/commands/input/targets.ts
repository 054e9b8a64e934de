import { isAssetName, type AddressOf, isNameOn, wellKnownNetworks } from "../../../api/known-networks.ts";
import { batchParam, traitsOf } from "../../../api/reply.ts";
import { fieldAt, splitPath } from "../../../api/record.ts";
import { type Endpoint, rowShape, takesAddress, takesNetwork, type Typed } from "../../../api/endpoint.ts";
import { fail, invalidInput, usageFailure } from "../../../base/failure.ts";
import { withoutSecrets } from "../../../base/key.ts";
import { path } from "../../../api/param.ts";
import { inNetwork } from "../../../api/endpoints/shared-parts.ts";
import { inputName, readParam, refuseUrl, looksLikeAddress, notAnAddress } from "../../../api/read-param.ts";
import type { EndpointFlags } from "../flags/endpoint-flags.ts";
import type { TypedFlags, Values } from "../../run/flags/flag.ts";
import {
  hintAtOther,
  unknownNameHint,
  waysToSearch,
  createNameFinder,
  isKnownNetwork,
  type NameFinder,
  type NamedAsset,
} from "../../run/asset-names.ts";
import type { AssetSources } from "../../run/with-run.ts";
import { counted } from "../../../base/text/words.ts";
import { readSubjects, isList, splitPair } from "./subjects.ts";
import { distinctSubjects, type Subject, nameOf } from "../../../client/subject.ts";
import { formatInstant, parseTimeBound, SECONDS_PER_DAY, wireOf } from "../../../base/time/time.ts";
import { type Days, endOfRange, parseDays } from "../../../base/time/days.ts";
import { hasColumns } from "../../render/formats/formats.ts";
import { nameServiceOf, type RunOptions, readRunOptions, type RunInput } from "../../run/run-options.ts";
import { intervalSeconds } from "../../../client/candle-windows.ts";
import type { Context } from "../../../base/context/context.ts";

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
  return isAssetName(withoutDollar(word)) && (index > 0 || !wellKnownNetworks.has(word));
}

/** Tickers are often written with a dollar sign, as in `$PEPE`; addresses and networks never are. */
const withoutDollar = (word: string): string => word.replace(/^\$(?=\w)/u, "");

async function replaceNames(input: RunInput, context: Context, places: AssetPlaces): Promise<RunInput> {
  const options = readRunOptions(input, context);
  const names = createNameFinder(context, nameServiceOf(options));
  let { spent } = input;
  /** A repeated word leads to one question only. */
  const chosenBefore = new Map<string, NamedAsset>();
  const find = async (
    word: string | undefined,
    network: string | undefined,
    takes: AddressOf | undefined,
  ): Promise<NamedAsset | undefined> => {
    if (word === undefined || !isAssetName(word)) return undefined;
    const key = `${network} ${takes} ${word.toLowerCase()}`;
    const known = chosenBefore.get(key) ?? names.find(word, network);
    if (known !== undefined) return checkedKind(word, known, takes, places);
    if (!isNameOn(network, word, takes ?? "token")) return undefined;
    const { canAsk, chooseAsset } = await import("./choose-asset.ts");
    if (hintAtOther(word) !== undefined || !canAsk(input, context, options))
      throw names.unknown(word, undefined, network);
    const wanted = { word, network, kind: takes ?? "token", isTaken: names.find(word) !== undefined };
    const chosen = await chooseAsset({ ...input, spent }, context, wanted);
    spent = chosen.spent;
    chosenBefore.set(key, chosen.asset);
    return chosen.asset;
  };
  const fixed = { all: 0, "after the first": 1, none: input.words.length }[places.words];
  const [before, assets] = [input.words.slice(0, fixed), input.words.slice(fixed).map(withoutDollar)];
  const network = places.words === "all" && isNetwork(context, assets, names) ? assets[0] : undefined;
  const words = [...before, ...(network === undefined ? [] : [network])];
  for (const word of network === undefined ? assets : assets.slice(1)) {
    const asset = await find(word, network, places.takes);
    words.push(asset === undefined ? word : network === undefined ? nameOf(asset) : asset.address);
  }
  const typed = new Map(input.typed);
  const tokens: (string | undefined)[] = [];
  for (const word of ownTokens(typed, words[0], places.command)) {
    tokens.push((await find(word, words[0], "token"))?.address ?? word);
  }
  if (tokens.length > 0) typed.set("token", tokens);
  const quote = await find(typed.get("in")?.at(-1), undefined, "token");
  if (quote === undefined) return { ...input, spent, words, typed };
  typed.set("in", [nameOf(quote)]);
  return { ...input, spent, flags: Object.assign({}, input.flags, { in: nameOf(quote) }), words, typed };
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
    if (pair === undefined || pair.network === network) return pair?.address ?? withoutDollar(word);
    throw invalidInput(
      `--token "${word}"`,
      `must be a token on ${network}, the network of the search`,
      `use ${network}:<address>, or search the other network: dexdata ${command} ${pair.network} --token ${pair.address}`,
    );
  });
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
    ifOtherKind ??
      (takes === "pool"
        ? `find its pools: dexdata pools search ${asset.network} --token ${word}`
        : "name the token as well: dexdata name add <name> <network:address>"),
  );
}

/** What the words ask for. A batch needs arguments only for its first subject; otherwise, each subject has its own. */
interface Targets {
  readonly argSets: readonly Typed[];
  readonly subjects: readonly Subject[];
}

export async function readTargets(
  endpoint: Endpoint,
  words: readonly string[],
  sources: AssetSources,
  usage: string,
): Promise<Targets> {
  const [first] = words;
  if (endpoint.words !== undefined) {
    if (first === undefined) throw usageFailure("missing <query>: a name, symbol or address", usage);
    refuseUrl(`<query> "${withoutSecrets(first)}"`, first, "a name, symbol or address");
    // Quoted, it is one word.
    if (words.length > 1 && (first === "pools" || first === "tokens"))
      throw usageFailure(
        `search would look for "${words.join(" ")}" in names`,
        `did you mean: dexdata ${first} search ${words.slice(1).join(" ")}? Otherwise, quote the text`,
      );
    return { argSets: [new Map([[endpoint.words, words.join(" ")]])], subjects: [] };
  }
  if (!takesAddress(endpoint)) {
    const each = words.flatMap((word) => word.split(","));
    const surplus = each[takesNetwork(endpoint) ? 1 : 0];
    if (surplus !== undefined)
      throw usageFailure(`unexpected argument "${surplus}"`, hintAtSurplus(each, endpoint.command) ?? usage);
    if (first === undefined && takesNetwork(endpoint)) throw usageFailure("missing <network>", usage);
    if (first !== undefined && looksLikeAddress(first))
      throw invalidInput(`<network> "${first}"`, notAnAddress, `find it: dexdata search ${first}`);
    // A slug has no capital letters.
    if (first !== undefined && /\p{Lu}/u.test(first) && isAssetName(first))
      throw fail("unknown_name", `unknown network "${first}"`, {
        next: unknownNameHint(first, waysToSearch(first, endpoint.command)),
      });
    return { argSets: [new Map(first === undefined ? [] : [["network", first]])], subjects: [] };
  }
  const takes = endpoint.path.includes("{pool_address}") ? "pool" : "token";
  const named = await readSubjects(words, sources, {
    command: endpoint.command,
    takes,
    ifOtherKind: endpoint.ifOtherKind,
    malformed: "fail",
    usage,
  });
  const subjects = traitsOf(endpoint.reply).isPerAsset ? withoutRepeats(named, sources) : named;
  const asked = batchParam(endpoint.reply) === undefined ? subjects : subjects.slice(0, 1);
  const param = addressName(endpoint);
  const argSets = asked.map(({ network, address }) => new Map(Object.entries({ network, [param]: address })));
  return { argSets, subjects };
}

/** After the network of a search, people write another network, or an asset. */
function hintAtSurplus(words: readonly string[], command: string): string | undefined {
  const [network = "", surplus = ""] = words;
  if (!command.endsWith(" search") || !wellKnownNetworks.has(network)) return undefined;
  return wellKnownNetworks.has(surplus)
    ? `for several networks: dexdata ${command} --chains ${words.join(",")}`
    : waysToSearch(surplus, command);
}

/** Reading the same list again would cost credits and give the same rows. */
function withoutRepeats(
  subjects: readonly Subject[],
  { warn, checkCount }: AssetSources,
): readonly Subject[] {
  const distinct = distinctSubjects(subjects);
  checkCount(distinct.length);
  const repeated = subjects.length - distinct.length;
  if (repeated > 0) warn(`skipping ${counted(repeated, "repeated asset")}`);
  return distinct;
}

/** Some flags make sense only for a single list of rows. */
export function checkOneAsset(
  { command, reply }: Endpoint,
  count: number,
  { chart, watch, cursor }: Pick<Values<EndpointFlags>, "chart" | "watch" | "cursor">,
): void {
  if (count < 2 || !traitsOf(reply).isPerAsset) return;
  const given = { chart, watch, cursor };
  const flag = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (flag === undefined) return;
  throw usageFailure(
    `--${flag} cannot be used with several assets: ${command} was given ${count}`,
    `use one asset, or leave out --${flag}`,
  );
}

export function addressName(endpoint: Endpoint): string {
  const inPath = endpoint.params.find(({ place, name }) => place === "path" && name !== "network");
  return batchParam(endpoint.reply) ?? inPath?.name ?? "";
}

const addressInBatch = path("address", { kind: "address", of: "token" }, "");

/** A batch sends many addresses in one parameter, but each one is checked like an address in a path. */
export function checkInBatch({ network, address }: Subject): void {
  if (address.includes(","))
    throw invalidInput(`<address> "${address}"`, "must be one address; separate addresses with spaces");
  readParam(addressInBatch, address, 0);
  readParam(inNetwork, network, 0);
}

/** The parameters that flags set, as typed; `days` are those of `--day`. */
export function typedParams(
  endpoint: Endpoint,
  given: TypedFlags,
  days: Days | undefined,
  options: Pick<RunOptions, "now" | "format" | "fields">,
): Map<string, string> {
  const typed = new Map<string, string>();
  for (const { name, flag } of endpoint.params) {
    const texts = flag === undefined ? undefined : given.get(flag);
    if (texts !== undefined) typed.set(name, texts.at(-1) ?? "true");
    if (days !== undefined && flag === "from") typed.set(name, wireOf(days.from));
    if (days !== undefined && flag === "to") typed.set(name, wireOf(endOfRange(days, options.now)));
  }
  if (showsDetails(endpoint, options)) typed.set("detailed", "true");
  return typed;
}

/** As errors show them, e.g. `--from "-40d" (2026-10-12T08:54:00Z)`. Other inputs than `--from` can set the start. */
export function shownInputs(
  { params }: Endpoint,
  typed: Typed,
  day: string | undefined,
  now: number,
): ReadonlyMap<string, string> {
  const shown = new Map<string, string>();
  for (const param of params) {
    const { name, flag, kind } = param;
    const text = typed.get(name);
    if (text === undefined) continue;
    const isOfDay = day !== undefined && (flag === "from" || flag === "to");
    const input = isOfDay ? `--day "${day}"` : `${inputName(param)} "${text}"`;
    const time = kind.kind === "time" ? parseTimeBound(text, now) : undefined;
    shown.set(name, time === undefined || "problem" in time ? input : `${input} (${formatInstant(time)})`);
    if (name === "count_back") shown.set("start", input);
  }
  return shown;
}

export function readDays(typed: string | undefined, given: TypedFlags, now: number): Days | undefined {
  if (typed === undefined) return undefined;
  const days = parseDays(typed, now);
  if ("problem" in days) throw invalidInput(`--day "${typed}"`, days.problem, days.next);
  if (intervalSeconds(given.get("interval")?.at(-1) ?? "1h") > SECONDS_PER_DAY)
    throw usageFailure("--day cannot be used with candles longer than a day", "use --from and --to");
  return days;
}

/** Details are needed for a field that the user named or for the default columns. */
function showsDetails(
  endpoint: Endpoint,
  { fields, format }: Pick<RunOptions, "fields" | "format">,
): boolean {
  if (endpoint.params.every(({ name }) => name !== "detailed")) return false;
  // Plain rows from the public service do not contain names and symbols, and a table without them is hard to read.
  if (fields === undefined) return hasColumns(format);
  const { record } = rowShape(endpoint);
  return fields
    .map(splitPath)
    .some((parts) => parts.some((_, index) => fieldAt(record, parts.slice(0, index + 1))?.isDetail === true));
}
