import path from "node:path";
import { namesBelow } from "../../base/files/paths.ts";
import { intervals } from "../../api/endpoints/ohlcv.ts";
import { type Dataset, datasetKinds, keyOfKind } from "../dataset.ts";
import { fileNameOf, type FileState, fileStates, folderOf, type Period, placeNamed } from "../layout.ts";

/** A file of the directory, as its place describes it. */
export interface LakeFile {
  readonly file: string;
  /** The directory of the dataset. */
  readonly folder: string;
  readonly dataset: Dataset;
  /** The time that the file is for. */
  readonly place: Period;
  readonly state: FileState;
}

/** All files of all datasets, whether or not the list of assets has them, and names that do not belong there. */
export function findLakeFiles(root: string): {
  readonly files: readonly LakeFile[];
  readonly foreign: readonly string[];
} {
  const files: LakeFile[] = [];
  const foreign: string[] = [];
  for (const kind of datasetKinds)
    for (const name of namesBelow(path.join(root, kind))) {
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
  const state = fileStates.find((each) => fileNameOf(each) === fileName);
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

/** The decoded value of `name=value`; an empty string if it cannot be decoded. */
function valueOf(part: string): string {
  try {
    return decodeURIComponent(part.slice(part.indexOf("=") + 1));
  } catch {
    return "";
  }
}
