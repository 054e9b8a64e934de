import { isAssetName } from "../../../api/known-networks.ts";
import { readInstant } from "../../../api/read-param.ts";
import { kindOfRow } from "../../../api/asset-kind.ts";
import type { TimedAsset, TimedPlan } from "../../../client/timed-legs.ts";
import { type Failure, invalidInput, usageFailure } from "../../../base/failure.ts";
import { withoutSecrets } from "../../../base/key.ts";
import { isObject, member, parseJson } from "../../../base/json/json-scan.ts";
import { counted } from "../../../base/text/words.ts";
import type { Instant } from "../../../base/time/time.ts";
import type { Subject } from "../../../client/subject.ts";
import type { AssetSources } from "../../run/with-run.ts";
import {
  checkWord,
  isList,
  isMeantAsTime,
  type ListedAsset,
  readLines,
  readWord,
  toSubject,
} from "../input/subjects.ts";

interface InputTaker {
  /** Takes each input in order. Most inputs share their asset with others. */
  readonly add: (asset: TimedAsset, at: Instant) => void;
  readonly kind: TimedAsset["kind"];
  /** In milliseconds. */
  readonly now: number;
  readonly usage: string;
}

/** The asset of `--in`. Its network can be the one of the words. */
export function quoteAsset(word: string, [first = ""]: readonly string[], usage: string): TimedAsset {
  const network = isList(first) || first.includes(":") ? undefined : first;
  if (isList(word)) throw invalidInput(`--in "${word}"`, "must be one token, not a list", usage);
  const subject = readWord(word, network, usage, `--in "${withoutSecrets(word)}"`);
  checkWord(subject, "token");
  return { ...subject, kind: "token" };
}

/** Assets with the same times. A line of a list can have its own time instead of a label. */
export function addAssetsAt(
  subjects: readonly Subject[],
  at: readonly string[],
  { add, kind, now }: InputTaker,
): void {
  const common = at.map((text) => readInstant(`--at "${text}"`, text, now));
  for (const subject of subjects) {
    const { network, address, label, where } = subject;
    const place = where === undefined ? "" : ` in ${where}`;
    if (label !== undefined && isMeantAsTime(subject))
      add({ network, address, kind }, readInstant(`time "${label}"${place}`, label, now));
    else {
      if (common.length === 0)
        throw usageFailure(
          `missing time for ${network}:${address}${place}`,
          "add --at <time>, or write a time after each asset of a list",
        );
      for (const time of common) add({ network, address, kind, label }, time);
    }
  }
}

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
  const { text, source } = await sources.read(word);
  const list = { ...taker, text, source, field, network, names: sources.names };
  // An asset, a comment or an array cannot begin a header. The name of a column may begin with a digit as times do.
  const isOfLines = /^\s*(?:[[{#]|[^\s,;"]+(?::[^\s,;"]+\s|[^\S\n]+\d))/u.test(text);
  const [titles = ""] = text.trimStart().split("\n", 1);
  if (!isOfLines || titles.split("\t").some((title) => title.trim() === field))
    return await readTableAt(list);
  for (const [index, line] of text.split("\n").entries()) readLineAt(line, index + 1, list);
  return undefined;
}

interface TimedList extends InputTaker {
  readonly text: string;
  readonly field: string;
  readonly network: string | undefined;
  readonly source: string;
  readonly names: AssetSources["names"];
}

/** Adds an asset of a list with the time that its row has under this name. */
function addRow(listed: ListedAsset, [name, time]: readonly [string, unknown], list: TimedList): void {
  const { where } = listed;
  const { network: usual, names, now, usage } = list;
  if (listed.address === undefined) throw usageFailure(`${where}: no address`);
  const kind = listed.kind === "pool" ? "pool" : list.kind;
  const taker = { command: "prices --at-field", takes: kind, malformed: "fail", usage } as const;
  const { network, address } = toSubject(listed, usual, taker, names);
  if (typeof time !== "string" && typeof time !== "number")
    throw usageFailure(`${where}: ${name} is missing`, "every row must have a time");
  list.add({ network, address, kind }, readInstant(`${name} "${time}" in ${where}`, String(time), now));
}

const networkNames = ["network", "chain"];
const assetNames = ["token", "asset", "address", "pool"];

/** What a row has by the names of its columns or keys, in lower case. */
type NamedCells = ReadonlyMap<string, unknown>;

const namedCells = (entries: readonly (readonly [name: string, value: unknown])[]): NamedCells =>
  new Map(entries.map(([name, value]) => [name.toLowerCase(), value]));

function textOf(cells: NamedCells, names: readonly string[]): string | undefined {
  const texts = names.map((name) => cells.get(name)).filter((value) => typeof value === "string");
  return texts.map((text) => text.trim()).find((text) => text !== "");
}

const noAssetIn = (where: string, noun: "column" | "key", names: readonly string[]): Failure =>
  usageFailure(
    `${where}: no ${noun} with addresses: token, asset, address or pool`,
    names.includes("log_index")
      ? "for the tokens of transactions, use rows of txns as NDJSON: -o ndjson"
      : `its ${noun}s: ${names.join(", ")}`,
  );

/** Adds the asset of a row that names it as people do, in CSV as in NDJSON. */
function addNamed(cells: NamedCells, line: number, time: readonly [string, unknown], list: TimedList): void {
  const network = textOf(cells, networkNames) ?? list.network;
  const isPool = textOf(cells, ["token", "asset", "address"]) === undefined;
  const where = `${list.source} line ${line}`;
  const [asset] = readLines([textOf(cells, assetNames) ?? ""], line, { ...list, network });
  if (asset === undefined) throw usageFailure(`${where}: no address`);
  if ((network ?? asset.network) === undefined && !isAssetName(asset.address ?? ""))
    throw usageFailure(
      `${where}: no network`,
      `add it as ${networkNames.join(" or ")}, or put the network before the list`,
    );
  addRow(asset, time, { ...list, network, kind: isPool ? "pool" : list.kind });
}

function readLineAt(line: string, number: number, list: TimedList): void {
  const row = line.trim().startsWith("{") ? parseJson(line) : undefined;
  if (isObject(row)) return readObjectAt(row, line, number, list);
  for (const each of readLines([line], number, list)) addRow(each, ["time", each.label], list);
}

function readObjectAt(row: object, line: string, number: number, list: TimedList): void {
  const cells = namedCells(Object.entries(row));
  const time = [list.field, member(row, list.field)] as const;
  const own = { ...list, network: textOf(cells, networkNames) ?? list.network };
  const hasTokenKey = textOf(cells, ["token", "asset"]) !== undefined;
  const kind = !hasTokenKey && kindOfRow(row, undefined) === "pool" ? "pool" : list.kind;
  if (cells.has("log_index")) {
    // A transaction has a price for each of its tokens.
    for (const name of ["token_0", "token_1"])
      addNamed(namedCells([["token", cells.get(name)]]), number, time, { ...own, kind: "token" });
  } else if (textOf(cells, assetNames) !== undefined) addNamed(cells, number, time, { ...own, kind });
  else if (["id", "row", "search"].some((name) => cells.has(name)))
    // A row of the service.
    for (const each of readLines([line], number, own)) addRow(each, time, own);
  else throw noAssetIn(`${list.source} line ${number}`, "key", [...cells.keys()]);
}

/** The rows with the numbers of their last lines. */
async function readCsv({ text, source }: TimedList) {
  // The output repeats the columns, so none of their characters may be lost.
  const lost = text.indexOf("\uFFFD");
  if (lost >= 0)
    throw usageFailure(
      `${source} line ${text.slice(0, lost).split("\n").length}: a character is not valid UTF-8, or is U+FFFD`,
      "save it as UTF-8, e.g. with iconv -f WINDOWS-1252 -t UTF-8",
    );
  // Only lists in CSV need the parser.
  const { CsvError, parse } = await import("csv-parse/sync");
  const [titles = ""] = /^(?:"[^"]*"|[^"\n]+)*/u.exec(text.trimStart()) ?? [];
  // A quoted title can contain any of them.
  const unquoted = titles.replaceAll(/"[^"]*"/gu, "");
  const delimiter = [",", ";", "\t"].find((each) => unquoted.includes(each)) ?? ",";
  const lines: number[] = [];
  let countedTwice = 0;
  try {
    const on_record = (record: string[], info: { readonly lines: number }): string[] => {
      // The parser counts each CRLF within quotes as two lines.
      countedTwice += record.join("").split("\r\n").length - 1;
      lines.push(info.lines - countedTwice);
      return record;
    };
    const form = { delimiter, skip_empty_lines: true, relax_column_count: true };
    const records = parse(text, { ...form, on_record });
    return records.map((record, index) => ({ record, line: lines[index] ?? 0 }));
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    const isOpen = cause.code === "CSV_QUOTE_NOT_CLOSED";
    // A quote that is not closed takes all following lines into its row.
    const line = isOpen ? (lines.at(-1) ?? 0) + 1 : Number(cause["lines"]) - countedTwice;
    throw usageFailure(
      `${source} line ${line}: ${isOpen ? "a quote is not closed" : "a quote in the middle of a field"}`,
      'put the entire field in quotes, and double the quotes in it, as in "a ""b"""',
    );
  }
}

async function readTableAt(list: TimedList): Promise<TimedPlan["lead"]> {
  const { field, source } = list;
  const [header, ...rows] = await readCsv(list);
  if (header === undefined) throw usageFailure(`${source} has no rows`);
  const names = header.record.map((name) => name.trim());
  const words = names.map((name) => name.toLowerCase());
  const columns = `its columns: ${names.join(", ")}`;
  const timeAt = names.indexOf(field);
  const used = [field.toLowerCase(), ...networkNames, ...assetNames];
  const twice = words.find((word, index) => used.includes(word) && words.indexOf(word) < index);
  if (twice !== undefined) throw usageFailure(`${source}: the column ${twice} appears twice`, columns);
  if (timeAt < 0) throw invalidInput(`--at-field "${field}"`, `this column is not in ${source}`, columns);
  if (!assetNames.some((name) => words.includes(name))) throw noAssetIn(source, "column", names);
  for (const { record, line } of rows) {
    if (record.length !== names.length)
      throw usageFailure(
        `${source} line ${line} has ${counted(record.length, "field")}, but the header has ${names.length}`,
        "put a field that contains a delimiter in quotes",
      );
    const cells = namedCells(record.map((cell, index) => [names[index] ?? "", cell]));
    const time = record[timeAt]?.trim() || undefined;
    addNamed(cells, line, [field, time], list);
  }
  return { header: names, cells: rows.map(({ record }) => record) };
}
