import type { TimedAsset, TimedPlan } from "../../../client/timed-legs.ts";
import { invalidInput, usageFailure } from "../../../base/failure.ts";
import { isObject, member, parseJson } from "../../../base/json/json-scan.ts";
import { withoutSecrets } from "../../../base/key.ts";
import { type Instant, parseTimeBound } from "../../../base/time/time.ts";
import type { Subject } from "../../../client/subject.ts";
import { isAssetName } from "../../settings/asset-names.ts";
import type { AssetSources } from "../../run/asset-names.ts";
import { isMeantAsTime } from "../flags/timed-flags.ts";
import { isList, type ListedAsset, readLines, readSubjects, toSubject } from "../input/subjects.ts";

export interface InputTaker {
  /** Takes each input in order. Most inputs share their asset with others. */
  readonly add: (asset: TimedAsset, at: Instant) => void;
  readonly kind: TimedAsset["kind"];
  /** In milliseconds. */
  readonly now: number;
  readonly usage: string;
}

/** Times can leave out seconds. A date is its 00:00 UTC. */
export function readAt(text: string, now: number, label: string): Instant {
  const full = text.replace(/^(\S+T\d\d:\d\d)(?=(?:Z|[+-]\d\d:\d\d)$)/iu, "$1:00");
  const instant = parseTimeBound(full, now);
  if ("problem" in instant) throw usageFailure(`${label} "${text}": ${instant.problem}`, instant.next);
  return instant;
}

/** Assets with the same times, as words or subjects. A line of a list can have its own time. */
export async function readAssetsAt(
  words: readonly string[] | readonly Subject[],
  at: readonly string[],
  sources: AssetSources,
  { add, kind, now, usage }: InputTaker,
): Promise<void> {
  const taker = { command: "prices", takes: kind, malformed: "fail", usage } as const;
  const subjects = isSubjects(words) ? words : await readSubjects(words, sources, taker);
  const common = [...new Set(at)].map((text) => readAt(text, now, "--at"));
  for (const { network, address, label } of subjects)
    if (label !== undefined && isMeantAsTime(label))
      add({ network, address, kind }, readAt(label, now, `time of ${address}`));
    else {
      if (common.length === 0)
        throw usageFailure(
          `missing time for ${network}:${address}`,
          "add --at <time>, or write a time after each asset of a list",
        );
      for (const time of common) add({ network, address, kind, label }, time);
    }
}

const isSubjects = (words: readonly string[] | readonly Subject[]): words is readonly Subject[] =>
  typeof words[0] === "object";

/** Lists in which each row has its own time in this field. Returns the columns of CSV. */
export async function readRowsAt(
  words: readonly string[],
  field: string,
  sources: AssetSources,
  taker: InputTaker,
): Promise<TimedPlan["lead"]> {
  const [first = "", ...others] = words;
  const network = words.length > 1 && !isList(first) ? first : undefined;
  const [word = "", more] = network === undefined ? words : others;
  if (!isList(word) || more !== undefined)
    throw usageFailure("--at-field requires one list of assets: - or @file", taker.usage);
  const text = word === "-" ? await sources.stdin() : await sources.file(word.slice(1));
  const source = word === "-" ? "stdin" : withoutSecrets(word.slice(1));
  const list = { text, field, network, source, names: sources.names };
  // An asset or a comment cannot begin a header.
  const isOfLines = /^\s*(?:[{#]|[^\s,;"]+(?::[^\s,;"]+\s|[^\S\n]+\d))/u.test(text);
  if (!isOfLines) return await readTableAt(list, taker);
  for (const [index, line] of text.split("\n").entries()) readLineAt(line, index + 1, list, taker);
  return undefined;
}

interface List {
  readonly text: string;
  readonly field: string;
  readonly network: string | undefined;
  readonly source: string;
  readonly names: AssetSources["names"];
}

function readLineAt(line: string, number: number, { field, ...origin }: List, taker: InputTaker): void {
  const where = `${origin.source} line ${number}`;
  const trade = line.trim().startsWith("{") ? tradeIn(line) : undefined;
  if (trade !== undefined) {
    const at = timeOf(member(trade, field), field, taker.now, where);
    const [network, ...tokens] = ["chain", "token_0", "token_1"].map((name) => {
      const value = member(trade, name);
      return typeof value === "string" ? value : undefined;
    });
    const row = { network, label: undefined, kind: undefined, hasGroup: false, row: trade, where };
    for (const address of tokens) taker.add(assetOf({ ...row, address }, "token", origin, taker), at);
    return;
  }
  for (const each of readLines([line], number, origin)) {
    const time = each.row === undefined ? each.label : member(each.row, field);
    const kind = each.kind === "pool" ? "pool" : taker.kind;
    const asset = assetOf(each, kind, origin, taker);
    taker.add(asset, timeOf(time, each.row === undefined ? "a time" : field, taker.now, where));
  }
}

/** The row of a transaction; undefined for any other line. */
function tradeIn(line: string): object | undefined {
  const row = parseJson(line);
  return isObject(row) && Object.hasOwn(row, "log_index") ? row : undefined;
}

function timeOf(value: unknown, name: string, now: number, where: string): Instant {
  if (typeof value === "string" || typeof value === "number")
    return readAt(String(value), now, `${where}: ${name}`);
  throw usageFailure(`${where}: ${name} is missing`, "every row must have a time");
}

function assetOf(
  listed: ListedAsset,
  kind: TimedAsset["kind"],
  { network: common, names }: Pick<List, "network" | "names">,
  { usage }: InputTaker,
): TimedAsset {
  if (listed.address === undefined) throw usageFailure(`${listed.where}: no address`);
  const taker = { command: "prices", takes: kind, malformed: "fail", usage } as const;
  const { network, address } = toSubject(listed, common, taker, names);
  return { network, address, kind };
}

const assetColumns = ["token", "asset", "address", "pool"];

/** The rows with their line numbers. */
async function readCsv(text: string, source: string) {
  // Only lists in CSV need the parser.
  const { parse } = await import("csv-parse/sync");
  const [titles = ""] = text.trimStart().split("\n", 1);
  const delimiter = [",", ";", "\t"].find((each) => titles.includes(each)) ?? ",";
  const lineNumbers: number[] = [];
  try {
    const records: string[][] = parse(text, {
      bom: true,
      delimiter,
      skip_empty_lines: true,
      on_record: (record: string[], { lines }) => {
        lineNumbers.push(lines);
        return record;
      },
    });
    return { records, lineNumbers };
  } catch (cause) {
    throw usageFailure(`${source}: invalid CSV: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

async function readTableAt({ text, field, ...origin }: List, taker: InputTaker): Promise<TimedPlan["lead"]> {
  const { records, lineNumbers } = await readCsv(text, origin.source);
  const [header, ...rows] = records;
  if (header === undefined) throw usageFailure(`${origin.source} has no rows`);
  const names = header.map((name) => name.trim());
  const placeOf = (...known: readonly string[]): number =>
    names.findIndex((name) => known.includes(name.toLowerCase()));
  const columns = `its columns: ${names.join(", ")}`;
  const [timeAt, networkAt] = [names.indexOf(field), placeOf("network", "chain")];
  if (timeAt < 0)
    throw invalidInput(`--at-field "${field}"`, `this column is not in ${origin.source}`, columns);
  const assetAt = assetColumns.map((name) => placeOf(name)).filter((place) => place >= 0);
  if (assetAt.length === 0)
    throw usageFailure(`${origin.source}: no column with addresses: token, asset, address or pool`, columns);
  for (const [index, record] of rows.entries()) {
    const where = `${origin.source} line ${lineNumbers[index + 1]}`;
    const place = assetAt.find((each) => record[each]?.trim() !== "");
    if (place === undefined) throw usageFailure(`${where}: no address`);
    const network = record[networkAt]?.trim() || origin.network;
    const cell = record[place]?.trim() ?? "";
    const [asset] = readLines([cell], lineNumbers[index + 1] ?? 0, { ...origin, network });
    if (asset === undefined) throw usageFailure(`${where}: no address`);
    if (networkAt < 0 && (network ?? asset.network) === undefined && !isAssetName(asset.address ?? ""))
      throw usageFailure(`${origin.source}: no column with networks: network or chain`, columns);
    const isPool = names[place]?.toLowerCase() === "pool" || asset.kind === "pool";
    const kind = isPool ? "pool" : taker.kind;
    taker.add(
      assetOf(asset, kind, { ...origin, network }, taker),
      timeOf(record[timeAt]?.trim() || undefined, field, taker.now, where),
    );
  }
  return { header: names, cells: rows };
}
