import { namesIn } from "../../api/host.ts";
import type { Dataset } from "../dataset.ts";
import type { Footer } from "../footer.ts";
import { settlingTime } from "../coverage.ts";
import type { LakeFile } from "./lake-files.ts";
import { folderOf, type Period, periodsBetween } from "../layout.ts";

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
  const known = [read, total, reread].filter((time) => typeof time === "number");
  const seen = lost.map(({ seen_at }) => seen_at);
  // Rows are settled an hour after their time.
  return [
    ...known,
    ...seen,
    ...(settled > period.from && footer.kind !== "pools" ? [settled + settlingTime] : []),
  ];
}

/** The periods of a dataset that need a file. Days that the first file names as missing do not. */
export function expectedPeriods(
  dataset: Dataset,
  files: readonly KnownFile[],
  last: number,
): readonly Period[] {
  const folder = folderOf(dataset);
  const before = files
    .filter((file) => folderOf(file.dataset) === folder)
    .flatMap(({ footer }) => footer.before ?? []);
  const begin = Math.max(dataset.from, dataset.created ?? dataset.from);
  return periodsBetween(dataset, begin, last).filter(({ from, to }) =>
    before.every((range) => to > range.to || to <= range.from || from >= range.to),
  );
}

/** The service that most files are from, and the files from another one. */
export function foreignFiles(files: readonly KnownFile[]): {
  readonly service: string;
  readonly foreign: readonly KnownFile[];
} {
  const counts = new Map<string, number>();
  // Earlier versions stored the URLs themselves.
  const nameOf = ({ footer }: KnownFile): string => namesIn(footer.service);
  for (const file of files) counts.set(nameOf(file), (counts.get(nameOf(file)) ?? 0) + 1);
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one);
  const service = most?.[0] ?? "";
  return { service, foreign: files.filter((file) => nameOf(file) !== service) };
}
