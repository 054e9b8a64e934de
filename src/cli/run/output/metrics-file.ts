import type { Context } from "../../../base/context/context.ts";
import { usageFailure } from "../../../base/failure.ts";
import { cannotBeWritten, writeAdvice } from "../../../base/files/file-errors.ts";
import { lookAt, modeOf } from "../../../base/files/paths.ts";
import { replaceWithText } from "../../../base/files/replace-file.ts";
import { textOfFile } from "../../../base/files/synced-file.ts";
import { withoutSecrets } from "../../../base/key.ts";
import { version } from "../../../base/version.ts";
import { checkFile, targetOf } from "../../../rows/out-file.ts";
import type { Report } from "../report.ts";

/** In the order of the file, with the label of those that have several values. Dashboards depend on these texts. */
const metrics = [
  ["info", "gauge", "version", "The version of dexdata."],
  ["running", "gauge", "", "1 while the process runs, 0 after it has ended."],
  ["start_time_seconds", "gauge", "", "When the process started."],
  ["file_time_seconds", "gauge", "", "When this file was written."],
  ["rows_total", "counter", "", "Rows or events written."],
  ["credits_total", "counter", "", "Credits spent."],
  ["requests_total", "counter", "result", "Requests by result."],
  ["connections", "gauge", "state", "Connections by state."],
  ["gap_seconds_total", "counter", "", "Length of all gaps, each connection counted alone."],
  ["oldest_asset_age_seconds", "gauge", "", "Longest time since an asset last had data."],
  ["alerts_total", "counter", "", "Alerts of --when."],
  ["blind_seconds_total", "counter", "", "Time in which alerts could not be known."],
  ["sync_last_success_time_seconds", "gauge", "", "When a sync last succeeded."],
  ["sync_lost_ranges", "gauge", "", "Time ranges whose rows are lost."],
  ["sync_files", "gauge", "state", "Files by state."],
] as const;

/** One value, or one for each value of the label. Called when the file is written, so an event costs nothing. */
type Source = () => number | Readonly<Record<string, number>>;
type Sources = Readonly<Partial<Record<(typeof metrics)[number][0], Source>>>;

/** In milliseconds. node_exporter reads the file every 15 s or so. */
const [writeGap, changeGap] = [10_000, 500];

export type Metrics = ReturnType<typeof openMetrics>;

/** Keeps a file for node_exporter's textfile collector up to date. A reader always sees a complete file. */
export function openMetrics(
  { clock, random }: Pick<Context, "clock" | "random">,
  name: string,
  { warn }: Pick<Report, "warn">,
) {
  const started = clock.now() / 1000;
  const label = `--metrics "${withoutSecrets(name)}"`;
  // A link stays a link.
  const file = targetOf(name);
  checkFile(label, lookAt(file), "name a regular file");
  const earlier = textOfFile(file) ?? "";
  if (earlier !== "" && !earlier.startsWith(`# HELP dexdata_${metrics[0][0]} `))
    throw usageFailure(`${label}: not a file that --metrics has written`, "use another file");
  // A sync that fails must not hide when the last one succeeded. 0 if none has.
  const before = /^dexdata_sync_last_success_time_seconds (\S+)$/mu.exec(earlier)?.[1] ?? 0;
  const requests = { ok: 0, rejected: 0, failed: 0 };
  let gapSeconds = 0;
  let sources: Sources = {
    info: () => ({ [version]: 1 }),
    start_time_seconds: () => started,
    file_time_seconds: () => clock.now() / 1000,
    rows_total: () => 0,
    credits_total: () => 0,
    requests_total: () => requests,
    gap_seconds_total: () => gapSeconds,
  };
  let pending: (() => void) | undefined;
  let isReported = false;
  const replace = replacer(random, file, earlier, () =>
    warn(`${label}: another run writes to this file, too; use a different file for each run`),
  );

  const goOn = (problem: string): void => warn(`${problem}; the run continues`);
  const write = (isRunning = true, failed: (problem: string, cause: unknown) => void = goOn): void => {
    pending?.();
    pending = undefined;
    try {
      replace(textOf({ ...sources, running: () => Number(isRunning) }));
      isReported = false;
    } catch (cause) {
      if (!isReported) failed(`${label}: ${cannotBeWritten(cause)}`, cause);
      isReported = true;
    }
  };

  write(true, (problem, cause) => {
    throw usageFailure(problem, writeAdvice(cause));
  });
  const stop = clock.every(writeGap, () => write());
  return {
    /** Requests, and attempts to open a stream, which count against the same limit. 0 without a response. */
    answered: (status = 0): void => {
      requests[
        status >= 200 && status < 300 ? "ok" : status >= 400 && status < 500 ? "rejected" : "failed"
      ] += 1;
    },
    /** A gap of this length was reported. */
    missed: (milliseconds: number): void => {
      gapSeconds += milliseconds / 1000;
    },
    shows: (more: Sources): void => {
      sources = { ...sources, ...more };
    },
    /** When a sync last succeeded before this run, in Unix seconds. */
    lastSuccess: Number(before),
    /** A connection has opened or was lost. */
    changed: (): void => {
      pending ??= clock.after(changeGap, () => write());
    },
    close: (): void => {
      stop();
      write(false);
    },
  };
}

/**
 * Calls `tellShared` once if another run writes to the file: the numbers of both would alternate, and the end of one
 * would look like the end of both.
 */
function replacer(random: Context["random"], file: string, earlier: string, tellShared: () => void) {
  let [left, isTold] = [earlier, false];
  return (text: string): void => {
    if (!isTold && ![left, undefined].includes(textOfFile(file))) {
      isTold = true;
      tellShared();
    }
    replaceWithText(random, file, text, { mode: 0o644, kept: modeOf(file) });
    left = text;
  };
}

function textOf(sources: Sources): string {
  const parts = metrics.map(([name, type, label, help]) => {
    const value = sources[name]?.();
    if (value === undefined) return "";
    const samples =
      typeof value === "number"
        ? [`dexdata_${name} ${value}\n`]
        : Object.entries(value).map(([of, each]) => `dexdata_${name}{${label}="${of}"} ${each}\n`);
    return `# HELP dexdata_${name} ${help}\n# TYPE dexdata_${name} ${type}\n${samples.join("")}`;
  });
  return parts.join("");
}
