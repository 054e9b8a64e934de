import type { Meter } from "../../../client/meter.ts";
import { shortAddress } from "../../../client/subject.ts";
import type { Context } from "../../../base/context/context.ts";
import { type Dataset, isPoolList, nameOfDataset } from "../../../lake/dataset.ts";
import { type Held, lostRanges } from "../../../lake/coverage.ts";
import {
  type FileState,
  folderOf,
  isMonthly,
  periodAt,
  periodsBetween,
  shownPeriod,
} from "../../../lake/layout.ts";
import type { PullState } from "../../run/progress.ts";
import { formatOf, writeRows } from "../../run/output/local-output.ts";
import type { LocalOutputFlags } from "../../run/flags/shared-flags.ts";
import type { LakeEvents, Published } from "../../../lake/lake.ts";
import { Failure } from "../../../base/failure.ts";
import { reportInput } from "../../run/failure-text.ts";
import type { Run } from "../../run/with-run.ts";
import path from "node:path";
import { groupBy } from "../../../base/group-by.ts";
import { showSeconds } from "../../../base/time/time.ts";
import type { LakePlan } from "../../../lake/sync-lake.ts";

/** One line per day or month as soon as it is written. A table has one line per dataset, at the end. */
export function createSyncOutput(context: Context, flags: LocalOutputFlags, datasets: readonly Dataset[]) {
  const format = formatOf(context, flags);
  const written: Published[] = [];
  const [noun = "day", other] = new Set(datasets.map((dataset) => (isMonthly(dataset) ? "month" : "day")));
  let [planned, done, rows] = [0, 0, 0];
  let label: string | undefined;
  const events: Pick<LakeEvents, "planned" | "done" | "read" | "published"> = {
    planned: (periods) => void (planned += periods),
    done: () => void (done += 1),
    read: (count) => void (rows += count),
    published: async (published) => {
      label = nameOfDataset(published.dataset);
      if (format === "ndjson") await writeRows(context, flags, [lineOf(published)]);
      else written.push(published);
    },
  };
  return {
    events,
    rows: () => rows,
    state: ({ requests, credits }: Meter): PullState => ({
      // The rows of a period are counted when all of them have been read, so a rate would be wrong until then.
      rows: 0,
      rowsInAll: undefined,
      inputs: {
        answered: Math.min(done, planned),
        of: planned,
        label,
        noun: other === undefined ? noun : "period",
      },
      part: planned === 0 ? undefined : Math.min(1, done / planned),
      requests,
      credits,
    }),
    end: async (): Promise<void> => {
      if (format === "ndjson" || (written.length === 0 && format !== "json")) return;
      const round = written.splice(0);
      const lines = format === "table" ? tableOf(round, context.stdout) : round.map(lineOf);
      await writeRows(context, flags, lines);
    },
  };
}

function lineOf({ dataset, file, bytes, footer, revised, withdrawn }: Published) {
  const { period, state, rows, settled_to: settled } = footer;
  return {
    file,
    period: shownPeriod(periodAt(dataset, period.from)),
    state,
    rows,
    bytes,
    settled_to: showSeconds(settled),
    revised,
    withdrawn,
  };
}

/** A day of pools is in the file of complete days, even if no run has read any of its periods. */
const stateOf = ({ footer: { state, rows, lost } }: Published): FileState =>
  state === "rows" && rows === 0 && lost.length > 0 ? "lost" : state;

/** On a terminal, whole addresses would leave no room for the counts. */
function tableOf(written: readonly Published[], { isTerminal }: Context["stdout"]) {
  return [...groupBy(written, ({ dataset }) => dataset)].map(([dataset, own]) => {
    const count = (state: FileState): number => own.filter((each) => stateOf(each) === state).length;
    const sum = (countOf: (published: Published) => number): number =>
      own.reduce((total, each) => total + countOf(each), 0);
    const { kind, interval, network, address } = dataset;
    const lostBefore = own.flatMap((each) => each.lostBefore);
    return {
      dataset: interval === undefined ? kind : `${kind} ${interval}`,
      asset: `${network}:${isTerminal ? shortAddress(address) : address}`,
      files: new Set(own.map(({ file }) => file)).size,
      complete: count("rows"),
      open: count("open"),
      lost: count("lost") + lostBefore.flatMap(({ from, to }) => periodsBetween(dataset, from, to)).length,
      rows: sum(({ footer }) => footer.rows),
      revised: sum(({ revised }) => revised),
      withdrawn: sum(({ withdrawn }) => withdrawn),
    };
  });
}

/**
 * Tells which datasets failed. The first failure waits for the end: if no dataset succeeds, it is the run's own, which
 * would otherwise be printed twice.
 */
export function createFailures(run: Pick<Run, "report" | "options">) {
  let first: Failure | undefined;
  const say = (failure: Failure): void => {
    reportInput(run, failure, failure.exit === 3);
  };
  return {
    add: (dataset: Dataset, failure: Failure): void => {
      const { status, exit, next } = failure.details;
      // Each later run would try the asset again. A list is stored only after it has been read.
      const isLeft = status === 404 && exit === 3 && next !== undefined && !isPoolList(dataset);
      const named = new Failure(`${nameOfDataset(dataset)}: ${failure.message}`, {
        ...failure.details,
        ...(isLeft && { next: `remove the asset's line from assets.ndjson; ${next}` }),
      });
      if (first === undefined) first = named;
      else say(named);
    },
    end: (hasSucceeded: boolean): void => {
      const failure = first;
      first = undefined;
      if (failure === undefined) return;
      if (!hasSucceeded) throw failure;
      say(failure);
    },
  };
}

const keyOf = (dataset: Dataset, period: string): string => `${folderOf(dataset)} ${period}`;

/** For `--metrics`: the files of the directory, and when a run last had no problem. */
export function createSyncMetrics(
  { metrics, context }: Run,
  root: string,
  { files }: LakePlan,
  rows: () => number,
) {
  /** By day or month. */
  const places = new Map<string, Place>();
  for (const [dataset, own] of files)
    for (const [period, place] of own) places.set(keyOf(dataset, period), place);
  let lastSuccess = metrics?.lastSuccess ?? 0;
  metrics?.shows({
    rows_total: rows,
    sync_last_success_time_seconds: () => lastSuccess,
    sync_lost_ranges: () =>
      [...places.values()].reduce((sum, { footer }) => sum + (footer ? lostRanges(footer).length : 0), 0),
    sync_files: () => countFiles([...places.values()]),
  });
  return {
    published: ({ dataset, file, footer }: Published): void => {
      const { name } = periodAt(dataset, footer.period.from);
      places.set(keyOf(dataset, name), { file: path.join(root, file), footer });
    },
    succeeded: (): void => {
      lastSuccess = context.clock.now() / 1000;
    },
  };
}

type Place = Pick<Published, "file"> & Pick<Held, "footer">;

/** A file may have several days, all in the same state unless one of them is damaged. */
function countFiles(places: readonly Place[]) {
  const counts = { complete: 0, open: 0, lost: 0, damaged: 0 };
  const files = new Map<string, keyof typeof counts>();
  for (const { file, footer } of places) {
    const state = footer === undefined || files.get(file) === "damaged" ? "damaged" : footer.state;
    files.set(file, state === "rows" ? "complete" : state);
  }
  for (const state of files.values()) counts[state] += 1;
  return counts;
}
