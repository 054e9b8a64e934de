import type { Footer } from "../../../lake/footer.ts";
import type { LakePlan } from "../../../lake/sync-lake.ts";
import type { Published } from "../../../lake/publish-period.ts";
import type { Run } from "../../run/with-run.ts";

/** For `--metrics`: the files of the directory, and when a run last had no problem. */
export function createSyncMetrics({ metrics, context }: Run, { files }: LakePlan, rows: () => number) {
  const footers = new Map<string, Footer | undefined>();
  for (const own of files.values()) for (const { file, footer } of own.values()) footers.set(file, footer);
  const state: { lastSuccess: number | undefined } = { lastSuccess: undefined };
  metrics?.shows({ rows, sync: () => ({ ...state, ...countFiles([...footers.values()]) }) });
  return {
    published: ({ file, footer }: Published): void => {
      footers.set(file, footer);
    },
    succeeded: (): void => {
      state.lastSuccess = context.clock.now() / 1000;
    },
  };
}

/** A file without a footer is damaged. */
function countFiles(footers: readonly (Footer | undefined)[]) {
  const counts = { complete: 0, open: 0, lost: 0, damaged: 0 };
  for (const footer of footers) {
    const state = footer?.state ?? "damaged";
    counts[state === "rows" ? "complete" : state] += 1;
  }
  return { files: counts, lostRanges: footers.reduce((sum, footer) => sum + (footer?.lost.length ?? 0), 0) };
}
