import path from "node:path";
import { namesBelow } from "../../base/files/paths.ts";
import { intervals } from "../../api/endpoints/ohlcv.ts";
import { type Dataset, datasetKinds, keyOfKind } from "../dataset.ts";
import {
  fileNameOf,
  type FileState,
  fileStates,
  folderOf,
  type Period,
  placeNamed,
  periodsBetween,
} from "../layout.ts";
import { groupBy } from "../../base/group-by.ts";
import type { Footer } from "../footer.ts";
import { settlingTime } from "../coverage.ts";

/** A file of the directory, as its place describes it. */
export interface LakeFile {
  readonly file: string;
  readonly folder: string;
  readonly dataset: Dataset;
  /** The time that the file is for. */
  readonly place: Period;
  readonly state: FileState;
}

/** All files of all datasets, whether or not the list of assets has them, and names that do not belong there. */
export function findLakeFiles(root: string) {
  const files: LakeFile[] = [];
  const foreign: string[] = [];
  for (const kind of datasetKinds)
    for (const name of namesBelow(path.join(root, kind), (each) => stateNamed(each) !== undefined)) {
      const file = path.join(root, kind, name);
      const placed = placeOf([kind, ...name.split(path.sep).filter((part) => part !== "")]);
      if (placed === undefined) foreign.push(file);
      else files.push({ ...placed, file, folder: path.dirname(path.dirname(file)) });
    }
  return { files, foreign };
}

function placeOf(parts: readonly string[]): Omit<LakeFile, "file" | "folder"> | undefined {
  const [kindName, networkPart = "", assetPart = "", ...rest] = parts;
  const kind = datasetKinds.find((each) => each === kindName);
  const [fileName, periodName = "", candlePart] = rest.toReversed();
  const state = stateNamed(fileName);
  if (kind === undefined || state === undefined) return undefined;
  const interval = intervals.find((each) => candlePart === `candle=${each}`);
  const [network, address] = [valueOf(networkPart), valueOf(assetPart)];
  const by = periodName.startsWith("month=") ? "month" : "day";
  const dataset: Dataset = { kind, network, address, interval, by, from: 0, label: "" };
  const place = placeNamed(dataset, periodName);
  const isOwn =
    folderOf(dataset) === parts.slice(0, -2).join("/") && kind.endsWith("ohlcv") === (interval !== undefined);
  return place !== undefined && isOwn && assetPart.startsWith(keyOfKind(kind))
    ? { dataset, place, state }
    : undefined;
}

const stateNamed = (name = "") => fileStates.find((each) => fileNameOf(each) === name);

/** The decoded value of `name=value`; an empty string if it cannot be decoded. */
function valueOf(part: string): string {
  try {
    return decodeURIComponent(part.slice(part.indexOf("=") + 1));
  } catch {
    return "";
  }
}

/** A period of a file whose footer could be read. */
export interface KnownFile extends LakeFile {
  readonly period: Period;
  readonly footer: Footer;
}

/**
 * When the directory was last written to, in Unix seconds, according to the footers: every dataset of the list must have
 * a file for each period that had begun by then.
 */
export function lastRun(files: readonly KnownFile[]): number | undefined {
  const times = files.flatMap(({ footer }) => timesIn(footer));
  return times.length === 0 ? undefined : times.reduce((last, time) => Math.max(last, time));
}

function timesIn(footer: Footer): readonly number[] {
  const { read_at: read, total_at: total, reread_at: reread, settled_to: settled, period, lost } = footer;
  const known = [read, total, reread, ...lost.map(({ seen_at }) => seen_at)];
  // Rows are settled an hour after their time.
  if (settled > period.from && footer.kind !== "pools") known.push(settled + settlingTime);
  return known.filter((time) => typeof time === "number");
}

/** The periods of a dataset, which has these files, that need a file. Days that the first file names as missing do not. */
export function expectedPeriods(
  dataset: Dataset,
  files: readonly KnownFile[],
  last: number,
): readonly Period[] {
  const before = files.flatMap(({ footer }) => footer.before ?? []);
  const begin = Math.max(dataset.from, dataset.created ?? dataset.from);
  return periodsBetween(dataset, begin, last).filter(({ from, to }) =>
    before.every((range) => to > range.to || to <= range.from || from >= range.to),
  );
}

/** The service that most files are from, and the files from another one. */
export function foreignFiles(files: readonly KnownFile[]) {
  const groups = [...groupBy(files, ({ footer }) => footer.service)];
  const [most, ...others] = groups.toSorted(([, one], [, other]) => other.length - one.length);
  return { service: most?.[0] ?? "", foreign: others.flatMap(([, own]) => own) };
}
