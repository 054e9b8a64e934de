import path from "node:path";
import type { Dataset } from "../../../lake/dataset.ts";
import type { Footer } from "../../../lake/footer.ts";
import { folderOf, shownPeriod } from "../../../lake/layout.ts";
import type { LakePlan } from "../../../lake/sync-lake.ts";
import type { Run } from "../../run/with-run.ts";
import type { Published } from "../../../lake/lake.ts";

/** Where a day or month is. One without a footer is damaged. */
interface Place {
  readonly file: string;
  readonly footer: Footer | undefined;
}

const keyOf = (dataset: Dataset, period: string): string => `${folderOf(dataset)} ${period}`;

/** For `--metrics`: the files of the directory, and when a run last had no problem. */
export function createSyncMetrics(
  { metrics, context }: Run,
  root: string,
  { files }: LakePlan,
  rows: () => number,
) {
  const places = new Map<string, Place>();
  for (const [dataset, own] of files)
    for (const [name, { file, footer }] of own)
      places.set(keyOf(dataset, shownPeriod({ name })), { file, footer });
  let lastSuccess: number | undefined;
  metrics?.shows({ rows, sync: () => ({ lastSuccess, ...countFiles([...places.values()]) }) });
  return {
    published: (dataset: Dataset, { file, period, footer }: Published): void => {
      places.set(keyOf(dataset, period), { file: path.join(root, file), footer });
    },
    succeeded: (): void => {
      lastSuccess = context.clock.now() / 1000;
    },
  };
}

/** A file may have several days, all in the same state unless one of them is damaged. */
function countFiles(places: readonly Place[]) {
  const counts = { complete: 0, open: 0, lost: 0, damaged: 0 };
  const files = new Map<string, keyof typeof counts>();
  for (const { file, footer } of places) {
    const state = footer === undefined || files.get(file) === "damaged" ? "damaged" : footer.state;
    files.set(file, state === "rows" ? "complete" : state);
  }
  for (const state of files.values()) counts[state] += 1;
  return {
    files: counts,
    lostRanges: places.reduce((sum, { footer }) => sum + (footer?.lost.length ?? 0), 0),
  };
}
