import { isAssetName } from "../../../api/known-networks.ts";
import type { TimedAsset, TimedPlan } from "../../../client/timed-legs.ts";
import { invalidInput, usageFailure } from "../../../base/failure.ts";
import { isObject, member, parseJson } from "../../../base/json/json-scan.ts";
import { type Instant, parseTimeBound } from "../../../base/time/time.ts";
import type { Subject } from "../../../client/subject.ts";
import type { AssetSources } from "../../run/with-run.ts";
import { isMeantAsTime } from "../flags/timed-flags.ts";
import {
  checkWord,
  isList,
  type ListedAsset,
  readLines,
  readSubjects,
  readWord,
  toSubject,
} from "../input/subjects.ts";

export interface InputTaker {
  /** Takes each input in order. Most inputs share their asset with others. */
  readonly add: (asset: TimedAsset, at: Instant) => void;
  readonly kind: TimedAsset["kind"];
  /** In milliseconds. */
  readonly now: number;
  readonly usage: string;
}

export function readAt(text: string, now: number, label: string): Instant {
  const instant = parseTimeBound(text, now);
  if ("problem" in instant) throw usageFailure(`${label} "${text}": ${instant.problem}`, instant.next);
  return instant;
}

/** The asset of `--in`. Its network can be the one of the words. */
export function quoteAsset(word: string, [first = ""]: readonly string[], usage: string): TimedAsset {
  const network = isList(first) || first.includes(":") ? undefined : first;
  const subject = readWord(word, network, usage);
  checkWord(subject, "token");
  return { ...subject, kind: "token" };
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
    throw usageFailure(
      "--at-field requires one list of assets: - or @file",
      "usage: dexdata prices [network] <@file|-> --at-field <field>",
    );
  const list = { ...(await sources.read(word)), field, network, names: sources.names };
  const { text } = list;
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

/** Adds an asset of a list with the time that its row has under this name. */
function addRow(
  listed: ListedAsset,
  kind: TimedAsset["kind"],
  [name, time]: readonly [string, unknown],
  list: List,
  { add, now, usage }: InputTaker,
): void {
  const { where } = listed;
  if (listed.address === undefined) throw usageFailure(`${where}: no address`);
  const taker = { command: "prices", takes: kind, malformed: "fail", usage } as const;
  const { network, address } = toSubject(listed, list.network, taker, list.names);
  if (typeof time !== "string" && typeof time !== "number")
    throw usageFailure(`${where}: ${name} is missing`, "every row must have a time");
  add({ network, address, kind }, readAt(String(time), now, `${where}: ${name}`));
}

function readLineAt(line: string, number: number, list: List, taker: InputTaker): void {
  const { field, source } = list;
  const row = line.trim().startsWith("{") ? parseJson(line) : undefined;
  // A transaction has a price for each of its tokens.
  if (isObject(row) && Object.hasOwn(row, "log_index")) {
    const [network, ...tokens] = ["chain", "token_0", "token_1"].map((name) => {
      const value = member(row, name);
      return typeof value === "string" ? value : undefined;
    });
    const where = `${source} line ${number}`;
    const listed = { network, label: undefined, kind: undefined, hasGroup: false, row, where };
    for (const address of tokens)
      addRow({ ...listed, address }, "token", [field, member(row, field)], list, taker);
    return;
  }
  for (const each of readLines([line], number, list)) {
    const time = each.row === undefined ? each.label : member(each.row, field);
    const kind = each.kind === "pool" ? "pool" : taker.kind;
    addRow(each, kind, [each.row === undefined ? "a time" : field, time], list, taker);
  }
}

const assetColumns = ["token", "asset", "address", "pool"];

/** The rows with the numbers of their lines. */
async function readCsv({ text, source }: List) {
  // Only lists in CSV need the parser.
  const { parse } = await import("csv-parse/sync");
  const [titles = ""] = text.trimStart().split("\n", 1);
  const delimiter = [",", ";", "\t"].find((each) => titles.includes(each)) ?? ",";
  try {
    const lines: number[] = [];
    const on_record = (record: string[], info: { readonly lines: number }): string[] => {
      lines.push(info.lines);
      return record;
    };
    const records = parse(text, { bom: true, delimiter, skip_empty_lines: true, on_record });
    return records.map((record, index) => ({ record, line: lines[index] ?? 0 }));
  } catch (cause) {
    throw usageFailure(`${source}: invalid CSV: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

async function readTableAt(list: List, taker: InputTaker): Promise<TimedPlan["lead"]> {
  const { field, source } = list;
  const [header, ...rows] = await readCsv(list);
  if (header === undefined) throw usageFailure(`${source} has no rows`);
  const names = header.record.map((name) => name.trim());
  const words = names.map((name) => name.toLowerCase());
  const columns = `its columns: ${names.join(", ")}`;
  const timeAt = names.indexOf(field);
  const networkAt = words.findIndex((word) => word === "network" || word === "chain");
  const used = [field.toLowerCase(), "network", "chain", ...assetColumns];
  const twice = words.find((word, index) => used.includes(word) && words.indexOf(word) < index);
  if (twice !== undefined) throw usageFailure(`${source}: the column ${twice} appears twice`, columns);
  if (timeAt < 0) throw invalidInput(`--at-field "${field}"`, `this column is not in ${source}`, columns);
  const assetAt = assetColumns.map((name) => words.indexOf(name)).filter((place) => place >= 0);
  if (assetAt.length === 0)
    throw usageFailure(`${source}: no column with addresses: token, asset, address or pool`, columns);
  for (const { record, line } of rows) {
    const cellAt = (place: number): string | undefined => record[place]?.trim() || undefined;
    const network = cellAt(networkAt) ?? list.network;
    const place = assetAt.find((each) => cellAt(each) !== undefined) ?? -1;
    const [asset] = readLines([cellAt(place) ?? ""], line, { ...list, network });
    if (asset === undefined) throw usageFailure(`${source} line ${line}: no address`);
    if (networkAt < 0 && (network ?? asset.network) === undefined && !isAssetName(asset.address ?? ""))
      throw usageFailure(`${source}: no column with networks: network or chain`, columns);
    const kind = words[place] === "pool" || asset.kind === "pool" ? "pool" : taker.kind;
    addRow(asset, kind, [field, cellAt(timeAt)], { ...list, network }, taker);
  }
  return { header: names, cells: rows.map(({ record }) => record) };
}
