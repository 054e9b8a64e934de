import type { Exchange } from "../../../client/client.ts";
import type { Meter } from "../../../client/meter.ts";
import type { Clock, Context } from "../../../base/context/context.ts";
import { usageFailure } from "../../../base/failure.ts";
import { cannotBeWritten } from "../../../base/files/file-errors.ts";
import { modeOf } from "../../../base/files/paths.ts";
import { replaceWithText } from "../../../base/files/replace-file.ts";
import { textOfFile } from "../../../base/files/synced-file.ts";
import { withoutSecrets } from "../../../base/key.ts";
import { version } from "../../../base/version.ts";
import type { Report } from "../report.ts";

/** What a command shows. Each function is called when the file is written, so an event costs nothing. */
export interface MetricsSource {
  readonly rows: () => number;
  readonly connections: (() => { readonly open: number; readonly retrying: number }) | undefined;
  readonly gapSeconds: () => number;
  /** When the asset that has been silent for longest had data, on the monotonic clock. */
  readonly oldest: (() => number) | undefined;
  /** Matches of `--when`, and the time in which none could be known. */
  readonly alerts: (() => number) | undefined;
  readonly blindSeconds: (() => number) | undefined;
  readonly sync: (() => Synced) | undefined;
}

interface Synced {
  readonly lastSuccess: number | undefined;
  readonly lostRanges: number;
  readonly files: Readonly<Record<string, number>>;
}

const nothingShown: MetricsSource = {
  rows: () => 0,
  connections: undefined,
  gapSeconds: () => 0,
  oldest: undefined,
  alerts: undefined,
  blindSeconds: undefined,
  sync: undefined,
};

/** In milliseconds. node_exporter reads the file every 15 s or so. */
const [writeGap, changeGap] = [10_000, 500];

export type Metrics = ReturnType<typeof openMetrics>;

/** Keeps a file for node_exporter's textfile collector up to date. A reader always sees a complete file. */
export function openMetrics(
  { clock, random }: Pick<Context, "clock" | "random">,
  file: string,
  { warn }: Pick<Report, "warn">,
) {
  const started = clock.now() / 1000;
  const lastSuccess = earlierSuccess(file);
  const requests = { ok: 0, rejected: 0, failed: 0 };
  let meter: Pick<Meter, "credits"> = { credits: 0 };
  let source = nothingShown;
  let pending: (() => void) | undefined;
  let isReported = false;

  const text = (isRunning: boolean): string =>
    metricsText(source, { isRunning, started, lastSuccess, requests, credits: meter.credits, clock });
  /** Returns what went wrong, if anything. */
  const tryToWrite = (isRunning: boolean): string | undefined => {
    try {
      replaceWithText(random, file, text(isRunning), { mode: 0o644, kept: modeOf(file) });
      return undefined;
    } catch (cause) {
      return `--metrics "${withoutSecrets(file)}": ${cannotBeWritten(cause)}`;
    }
  };
  const write = (isRunning = true): void => {
    pending?.();
    pending = undefined;
    const problem = tryToWrite(isRunning);
    if (problem !== undefined && !isReported) warn(`${problem}; the run continues`);
    isReported = problem !== undefined;
  };

  const problem = tryToWrite(true);
  if (problem !== undefined) throw usageFailure(problem, "check the directory and its permissions");
  const stop = clock.every(writeGap, () => write());
  return {
    answered: ({ answer }: Exchange): void => {
      const { status = 0 } = answer ?? {};
      requests[
        status >= 200 && status < 300 ? "ok" : status >= 400 && status < 500 ? "rejected" : "failed"
      ] += 1;
    },
    spends: (spent: Pick<Meter, "credits">): void => {
      meter = spent;
    },
    shows: (more: Partial<MetricsSource>): void => {
      source = { ...source, ...more };
    },
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

interface Facts {
  readonly isRunning: boolean;
  readonly started: number;
  readonly lastSuccess: number;
  readonly requests: Readonly<Record<string, number>>;
  readonly credits: number;
  readonly clock: Pick<Clock, "now" | "elapsed">;
}

function metricsText(source: MetricsSource, facts: Facts): string {
  const { isRunning, started, lastSuccess, requests, credits, clock } = facts;
  const { connections, oldest, sync } = source;
  const synced = sync?.();
  return [
    gauge("info", "The version of dexdata.", [[`{version="${version}"}`, 1]]),
    gauge("running", "1 while the process runs, 0 after it has ended.", [["", Number(isRunning)]]),
    gauge("start_time_seconds", "When the process started.", [["", started]]),
    gauge("file_time_seconds", "When this file was written.", [["", clock.now() / 1000]]),
    counter("rows_total", "Rows or events written.", [["", source.rows()]]),
    counter("credits_total", "Credits spent.", [["", credits]]),
    counter("requests_total", "Requests by result.", labeled("result", requests)),
    connections && gauge("connections", "Connections by state.", labeled("state", { ...connections() })),
    counter("gap_seconds_total", "Total time without a connection.", [["", source.gapSeconds()]]),
    oldest &&
      gauge("oldest_asset_age_seconds", "Longest time since an asset last had data.", [
        ["", Math.max(0, (clock.elapsed() - oldest()) / 1000)],
      ]),
    source.alerts && counter("alerts_total", "Alerts of --when.", [["", source.alerts()]]),
    source.blindSeconds &&
      counter("blind_seconds_total", "Time in which alerts could not be known.", [
        ["", source.blindSeconds()],
      ]),
    synced &&
      gauge("sync_last_success_time_seconds", "When a sync last succeeded.", [
        ["", synced.lastSuccess ?? lastSuccess],
      ]),
    synced && gauge("sync_lost_ranges", "Time ranges whose rows are lost.", [["", synced.lostRanges]]),
    synced && gauge("sync_files", "Files by state.", labeled("state", synced.files)),
  ]
    .filter((part) => typeof part === "string")
    .join("");
}

/** A sync that fails must not hide when the last one succeeded. 0 if none has. */
function earlierSuccess(file: string): number {
  return Number(/^dexdata_sync_last_success_time_seconds (\S+)$/mu.exec(textOfFile(file) ?? "")?.[1] ?? 0);
}

type Samples = readonly (readonly [labels: string, value: number])[];

function labeled(name: string, values: Readonly<Record<string, number>>): Samples {
  return Object.entries(values).map(([label, value]) => [`{${name}="${label}"}`, value]);
}

const gauge = (name: string, help: string, samples: Samples): string => metric("gauge", name, help, samples);
const counter = (name: string, help: string, samples: Samples): string =>
  metric("counter", name, help, samples);

function metric(type: string, name: string, help: string, samples: Samples): string {
  const lines = samples.map(([labels, value]) => `dexdata_${name}${labels} ${value}\n`);
  return `# HELP dexdata_${name} ${help}\n# TYPE dexdata_${name} ${type}\n${lines.join("")}`;
}
