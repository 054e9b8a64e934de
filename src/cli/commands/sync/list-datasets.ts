import { isAssetName } from "../../../api/known-networks.ts";
import { addressKey } from "../../../client/subject.ts";
import type { AssetKind } from "../../../api/asset-kind.ts";
import { invalidInput, usageFailure } from "../../../base/failure.ts";
import { expanded, readArgs, readInstant, readInteger } from "../../../api/read-param.ts";
import { readChoice } from "../../../api/read-choice.ts";
import type { NameFinder } from "../../run/asset-names.ts";
import type { AssetSources } from "../../run/with-run.ts";
import { member } from "../../../base/json/json-scan.ts";
import {
  type Listed,
  type DatasetKind,
  datasetKinds,
  factsOfKind,
  partitions,
  type PoolList,
} from "../../../lake/dataset.ts";
import { folderOf } from "../../../lake/layout.ts";
import { SECONDS_PER_DAY, parseRfc3339 } from "../../../base/time/time.ts";
import { readStoredInterval, syncFlags } from "./sync-flags.ts";
import { checkListed, checkWord, isList, type ListedAsset, readLines, readWord } from "../input/subjects.ts";
import { readDuration } from "../../../api/duration.ts";
import { networkPoolsSearch } from "../../../api/endpoints/searches.ts";
import { readValues, type Values } from "../../run/flags/flag.ts";
import { didYouMean, nearest } from "../../../base/text/nearest.ts";
import { splitWords } from "../../../base/split-command.ts";

/** What applies to lines without their own values. Times are in milliseconds. */
type Defaults = Pick<Values<typeof syncFlags>, "kind" | "interval" | "from" | "by" | "list" | "every"> & {
  readonly now: number;
};

/** A list that has not been read has no start. */
type NewList = Listed<PoolList>;

export type ListedDataset = Listed | NewList;

export const usage = "usage: dexdata sync <directory> [network:address…|@file|-] [flags]";

/** The arguments after the directory. A dataset that is named twice appears once. */
export async function readDatasets(
  words: readonly string[],
  sources: AssetSources,
  defaults: Defaults,
): Promise<readonly ListedDataset[]> {
  const datasets: ListedDataset[] = [];
  for (const word of words) {
    if (isList(word)) {
      const { text, source } = await sources.read(word);
      const listed = readDatasetList(text, source, defaults, sources.names);
      if (listed.length === 0) throw usageFailure(`${source} has no assets`, usage);
      datasets.push(...listed);
      continue;
    }
    const { network, address, label } = readWord(word, undefined, usage);
    for (const kind of defaults.kind) checkWord({ network, address }, factsOfKind(kind).asset);
    const asset = { network, address, label, kind: undefined, where: `"${word}"` };
    datasets.push(...datasetsOf(asset, defaults));
  }
  return withoutRepeats(datasets);
}

/** The flags of a run do not apply to the list that an earlier run has stored. `now` is in milliseconds. */
export function readStoredList(text: string, file: string, now: number): readonly ListedDataset[] {
  const unset = readValues<typeof syncFlags>(syncFlags, new Map());
  return withoutRepeats(readDatasetList(text, file, { ...unset, now }));
}

function readDatasetList(
  text: string,
  source: string,
  defaults: Defaults,
  names?: NameFinder,
): readonly ListedDataset[] {
  const origin = { network: undefined, source, names };
  return readLines(text.split("\n"), 1, origin).flatMap((asset) => {
    const { network, address = "", row, where } = asset;
    if (names !== undefined && network === undefined && row === undefined && isAssetName(address))
      throw names.unknown(address, where, undefined);
    return datasetsOf(asset, defaults);
  });
}

/** One dataset, or one for each kind if the line does not name its own. */
function datasetsOf(asset: ListedAsset, defaults: Defaults): readonly ListedDataset[] {
  const { network, address, label = "", where, row } = asset;
  checkKeys(row, where);
  const search = member(row, "search");
  if (typeof search === "string")
    return [newList(readSearch(search, `search in ${where}`, defaults.now), { ...row }, ` in ${where}`)];
  if (network === undefined || address === undefined)
    throw usageFailure(
      `${where}: no ${network === undefined ? "network" : "address"} given`,
      "write network:address",
    );
  const own = chosen(asset, "kind", datasetKinds);
  return (own === undefined ? defaults.kind : [own]).map((kind) => {
    checkAsset(asset.kind, kind, where);
    checkListed({ network, address }, asset, factsOfKind(kind).asset, undefined);
    const created = instantOf(row)?.seconds;
    if (kind === "pools") {
      const source = { pools: [{ address: addressKey(address), created }] };
      const { list, every } = defaults;
      // Without a kind of its own, the line's start is that of transactions or candles.
      const from = own && member(row, "from");
      return newList({ network, source }, { list, every, ...row, from }, ` in ${where}`);
    }
    const typed = typedIn(asset, "interval");
    const length =
      typed === undefined ? defaults.interval : readStoredInterval(`interval "${typed}" in ${where}`, typed);
    const interval = kind === "transactions" ? undefined : length;
    const from = startOf(asset, defaults);
    const by = chosen(asset, "by", partitions) ?? defaults.by;
    return { kind, network, address: addressKey(address), interval, by, from, created, label };
  });
}

/** Other fields are those of rows of the service; none of them is close to these. */
const ownKeys = ["kind", "interval", "from", "by", "list", "every", "search", "created_at"];

function checkKeys(row: object = {}, where: string): void {
  for (const key of Object.keys(row)) {
    const near = nearest(key, ownKeys) ?? key;
    if (near !== key) throw usageFailure(`${where}: unknown key "${key}"`, `did you mean "${near}"?`);
  }
}

function checkAsset(asset: AssetKind | undefined, kind: DatasetKind, where: string): void {
  const wanted = factsOfKind(kind).asset;
  if (asset === undefined || asset === wanted) return;
  const hint =
    asset === "token"
      ? 'for candles of a token, add "kind":"token-ohlcv" to the line, or --kind token-ohlcv'
      : `list ${wanted}s only`;
  throw usageFailure(`${where}: ${kind} requires a ${wanted}, but the line is a ${asset}`, hint);
}

function chosen<Word extends string>(
  asset: ListedAsset,
  name: string,
  choices: readonly Word[],
): Word | undefined {
  const typed = typedIn(asset, name);
  return typed === undefined ? undefined : readChoice(`${name} "${typed}" in ${asset.where}`, typed, choices);
}

/** The text of a member of the line. */
function typedIn({ row }: ListedAsset, name: string): string | undefined {
  const value = member(row, name);
  return value === undefined ? undefined : textOf(value);
}

/** At 00:00 UTC, and not before the day on which the asset was created. */
function startOf(asset: ListedAsset, { from, now }: Defaults): number | undefined {
  const listed = typedIn(asset, "from");
  const text = listed ?? from;
  if (text === undefined) return undefined;
  const label = listed === undefined ? `--from "${text}"` : `from "${text}" in ${asset.where}`;
  const instant = readInstant(label, text, now);
  if (instant.seconds * 1000 > now) throw invalidInput(label, "must not be in the future");
  return dayOf(Math.max(instant.seconds, instantOf(asset.row)?.seconds ?? Number.NEGATIVE_INFINITY));
}

function instantOf(row: object | undefined) {
  const created = member(row, "created_at");
  return typeof created === "string" ? parseRfc3339(created) : undefined;
}

export const dayOf = (seconds: number): number => Math.floor(seconds / SECONDS_PER_DAY) * SECONDS_PER_DAY;

function withoutRepeats(datasets: readonly ListedDataset[]): readonly ListedDataset[] {
  const found = new Map<string, ListedDataset>();
  for (const dataset of datasets) {
    const folder = folderOf(dataset);
    const before = found.get(folder);
    const isEarlier = (dataset.from ?? Number.POSITIVE_INFINITY) < (before?.from ?? Number.POSITIVE_INFINITY);
    if (before !== undefined && "every" in before && "every" in dataset)
      found.set(folder, joinLists(before, dataset));
    else if (before === undefined || isEarlier) found.set(folder, dataset);
  }
  return [...found.values()];
}

/** In seconds. Periods begin at multiples of it, and so do days. */
function readEvery(label: string, typed: string): number {
  const seconds = readDuration(label, typed) / 1000;
  if (seconds < 60) throw invalidInput(label, "must be 1m or more, because responses can be 60s old");
  if (seconds % 60 === 0 && (24 * 3600) % seconds === 0) return seconds;
  throw invalidInput(label, "must be full minutes that divide a day into equal parts, e.g. 5m, 1h or 24h");
}

function readListName(label: string, typed: string): string {
  if (/^[A-Za-z\d][\w.-]{0,63}$/u.test(typed)) return typed;
  throw invalidInput(label, "must have up to 64 letters, digits, and . _ -, because it names a directory");
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** `list`, `every` and `from` are as they were typed, or undefined. */
export function newList(
  { network, source }: Pick<PoolList, "network" | "source">,
  { list = "text" in source ? "search" : "pools", every = "1h", from }: Readonly<Record<string, unknown>>,
  where = "",
): NewList {
  const [name, period] = [textOf(list), textOf(every)];
  const labelOf = (field: string, typed: string): string =>
    where === "" ? `--${field} "${typed}"` : `${field} "${typed}"${where}`;
  const typed = textOf(from ?? "");
  const start = parseRfc3339(typed)?.seconds;
  // No file could have what was before, so each day of it would be recorded as lost.
  if (start !== undefined && start < Date.UTC(2026, 0, 1) / 1000)
    throw invalidInput(labelOf("from", typed), "no run recorded pools then", 'remove "from"');
  return {
    ...({ kind: "pools", network, interval: undefined, by: "month", label: "" } as const),
    address: readListName(labelOf("list", name), name),
    every: readEvery(labelOf("every", period), period),
    from: start,
    source,
  };
}

/** The words after `dexdata pools search`: a network, and filters. `now` is in milliseconds. */
export function readSearch(text: string, label: string, now: number): Pick<PoolList, "network" | "source"> {
  const split = splitWords(text);
  if ("problem" in split) throw invalidInput(label, split.problem);
  const [network = "", ...words] = split.flatMap((word) => /^(--[^=]+)=(.*)$/su.exec(word)?.slice(1) ?? word);
  if (!/^\w[\w-]*$/u.test(network))
    throw invalidInput(label, "must begin with a network", "e.g. 'ethereum --volume-usd-24h-min 100k'");
  const filters = networkPoolsSearch.params.filter(({ flag, kind }) => flag && kind.kind !== "toggle");
  const names = new Map([
    ["--limit", "limit"],
    ...filters.map(({ flag, name }) => [`--${flag}`, name] as const),
  ]);
  const typed = new Map([["network", network]]);
  for (let index = 0; index < words.length; index += 2) {
    const [word = "", value] = [words[index], words[index + 1]];
    const name = names.get(word);
    if (name === undefined) {
      const next = didYouMean(nearest(word, names.keys()), "see: dexdata pools search --help");
      const problem = word.startsWith("-") ? "unknown flag" : "unexpected argument";
      throw usageFailure(`${problem} "${word}" in ${label}`, next);
    }
    if (value === undefined) throw usageFailure(`missing value for ${word} in ${label}`);
    typed.set(name, value);
  }
  const limit = readInteger(`--limit in ${label}`, expanded(typed.get("limit") ?? "10"), { min: 1 });
  typed.delete("limit");
  const argsAt = (at: number) => readArgs(networkPoolsSearch, typed, at);
  argsAt(now);
  return { network, source: { text, limit: Number(limit), argsAt } };
}

export function joinLists<List extends NewList | PoolList>(one: List, other: NewList): List {
  const [own, added] = [one.source, other.source];
  const isSame = "text" in own ? "text" in added && own.text === added.text : "pools" in added;
  if (!isSame || one.every !== other.every)
    throw usageFailure(
      `list "${one.address}" of ${one.network} exists, with another search or period`,
      "give the new list another name: --list <name>",
    );
  if ("text" in own || "text" in added) return one;
  const pools = new Map([...added.pools, ...own.pools].map((pool) => [pool.address, pool]));
  return { ...one, source: { pools: [...pools.values()] } };
}
