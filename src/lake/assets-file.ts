import path from "node:path";
import type { Context } from "../base/context/context.ts";
import { usageFailure } from "../base/failure.ts";
import { lookAt, namesIn } from "../base/files/paths.ts";
import { replaceWithText } from "../base/files/replace-file.ts";
import { textOfFile } from "../base/files/stored-file.ts";
import { writeFailure } from "../base/files/file-errors.ts";
import { type Dataset, factsOfKind } from "./dataset.ts";
import { showTime } from "./footer.ts";
import { folderOf, periodNamed } from "./layout.ts";

/** The list of datasets in the directory, which people may edit. */
export const assetsName = "assets.ndjson";

/** Undefined if the directory has no list yet. */
export function readAssets(root: string): string | undefined {
  return textOfFile(path.join(root, assetsName));
}

/** Rejects a directory with the files of another program. */
export function checkRoot(root: string): void {
  const found = lookAt(root);
  if (found === undefined) return;
  if (!found.isDirectory()) throw usageFailure(`"${root}" is not a directory`, "name another directory");
  const names = namesIn(root);
  if (names.length === 0 || names.includes(assetsName) || names.includes(".dexdata")) return;
  throw usageFailure(
    `"${root}" is not empty, and dexdata did not create it`,
    "name an empty directory, or one that does not exist",
  );
}

/** Adds lines for datasets that the list lacks. Lines that are there stay as they are. */
export function addAssets(
  { random }: Pick<Context, "random">,
  root: string,
  datasets: readonly Dataset[],
): void {
  if (datasets.length === 0) return;
  const file = path.join(root, assetsName);
  const before = readAssets(root) ?? "";
  const separator = before === "" || before.endsWith("\n") ? "" : "\n";
  try {
    replaceWithText(random, file, before + separator + datasets.map(lineOf).join(""), { mode: 0o666 });
  } catch (cause) {
    throw writeFailure("output", file, cause);
  }
}

function lineOf({ kind, network, address, interval, from, created, label }: Dataset): string {
  const line = {
    kind,
    chain: network,
    address,
    ...(interval !== undefined && { interval }),
    from: showTime(from).slice(0, 10),
    ...(created !== undefined && { created_at: showTime(created) }),
    ...(label !== "" && { [factsOfKind(kind).asset === "token" ? "symbol" : "name"]: label }),
  };
  return `${JSON.stringify(line)}\n`;
}

/** Where the files of a dataset begin, in Unix seconds; undefined if there are none. */
export function firstPeriod(root: string, dataset: Dataset): number | undefined {
  const periods = namesIn(path.join(root, folderOf(dataset))).flatMap(
    (name) => periodNamed(dataset, name) ?? [],
  );
  return periods.length === 0 ? undefined : Math.min(...periods.map(({ from }) => from));
}
