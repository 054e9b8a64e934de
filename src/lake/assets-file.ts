import path from "node:path";
import { showSeconds } from "../base/time/time.ts";
import type { Context } from "../base/context/context.ts";
import { namesIn, readNames, removeFile } from "../base/files/paths.ts";
import { textOfFile } from "../base/files/synced-file.ts";
import { replaceText } from "../base/files/replace-file.ts";
import { type Dataset, factsOfKind, isPoolList } from "./dataset.ts";
import { findFiles } from "./files/stored-periods.ts";
import { type DatasetKey, folderOf, type Period, placeNamed } from "./layout.ts";

/** The list of datasets in the directory, which people may edit. */
export const assetsName = "assets.ndjson";

/** Undefined if the directory has no list yet. */
export function readAssets(root: string): string | undefined {
  return textOfFile(path.join(root, assetsName));
}

export interface ListChanges {
  readonly added: readonly Dataset[];
  /** Datasets that now begin earlier than in their lines. */
  readonly widened: readonly Dataset[];
  readonly removed: readonly Dataset[];
}

/** Other lines stay as they are. `read` returns the datasets of a line. */
export function changeAssets(
  context: Pick<Context, "random">,
  root: string,
  { added = [], widened = [], removed = [] }: Partial<ListChanges>,
  read: (line: string) => readonly DatasetKey[],
): void {
  if (added.length + widened.length + removed.length === 0) return;
  const file = path.join(root, assetsName);
  const text = readAssets(root) ?? "";
  const earlier = new Map(widened.map((dataset) => [folderOf(dataset), dataset]));
  const lines = text === "" ? [] : text.replace(/\n$/u, "").split("\n");
  const gone = new Set(removed.flatMap(linesOf));
  const kept = lines.filter((line) => !gone.has(`${line}\n`));
  const before = kept.map((line) => {
    const isOther = widened.length === 0 || line.trim() === "" || line.startsWith("#");
    const [own] = isOther ? [] : read(line);
    const wider = own === undefined ? undefined : earlier.get(folderOf(own));
    return wider === undefined ? `${line}\n` : widerLine(line, wider);
  });
  const after = added.flatMap(linesOf).filter((line) => !before.includes(line));
  const all = [...before, ...after];
  if (all.length === 0) removeFile(file);
  else replaceText(context, file, all.join(""));
}

function widerLine(line: string, dataset: Dataset): string {
  if (!line.startsWith("{")) return lineOf(dataset);
  const from = showSeconds(dataset.from).slice(0, 10);
  return `${JSON.stringify({ ...Object(JSON.parse(line)), from })}\n`;
}

function linesOf(dataset: Dataset): readonly string[] {
  if (!isPoolList(dataset)) return [lineOf(dataset)];
  const { network: chain, address: list, every, source } = dataset;
  const from = showSeconds(dataset.from);
  const period = every % 3600 === 0 ? `${every / 3600}h` : `${every / 60}m`;
  const own = { kind: "pools", list, every: period, from };
  if ("text" in source) return [`${JSON.stringify({ ...own, search: source.text })}\n`];
  return source.pools.map(({ address, created }) => {
    const known = created !== undefined && { created_at: showSeconds(created) };
    return `${JSON.stringify({ ...own, chain, address, ...known })}\n`;
  });
}

function lineOf({ kind, network, address, interval, by, from, created, label }: Dataset): string {
  const line = {
    kind,
    chain: network,
    address,
    ...(interval !== undefined && { interval }),
    by,
    from: showSeconds(from).slice(0, 10),
    ...(created !== undefined && { created_at: showSeconds(created) }),
    ...(label !== "" && { [factsOfKind(kind).asset === "token" ? "symbol" : "name"]: label }),
  };
  return `${JSON.stringify(line)}\n`;
}

/**
 * The directories of the files of a dataset, oldest first. Throws if this user cannot read which there are, unless `read`
 * does not.
 */
export function placesOf(root: string, dataset: DatasetKey, read = readNames): readonly Period[] {
  const names = read(path.join(root, folderOf(dataset)));
  const places = names.flatMap((name) => placeNamed(dataset, name) ?? []);
  return places.toSorted((one, other) => one.from - other.from);
}

/** Where the files of a dataset begin, in Unix seconds; undefined if there are none. */
export async function firstPeriod(root: string, dataset: Dataset): Promise<number | undefined> {
  const [first] = placesOf(root, dataset, namesIn);
  if (first === undefined) return undefined;
  const files = await findFiles(root, dataset, first.name);
  const starts = files.flatMap(({ periods }) => periods.map(({ footer }) => footer.period.from));
  return starts.length === 0 ? first.from : Math.min(...starts);
}
