import path from "node:path";
import type { ClientObserver } from "../../../client/client.ts";
import type { Context } from "../../../base/context/context.ts";
import { formatDuration } from "../../../api/duration.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { fail, usageFailure } from "../../../base/failure.ts";
import { isSameService, namesIn } from "../../../api/service-name.ts";
import { version } from "../../../base/version.ts";
import { type FileLock, holdLock } from "../../../base/files/file-lock.ts";
import { folderBelow } from "../../../base/files/folder-below.ts";
import { makeFolder } from "../../../base/files/paths.ts";
import type { FolderLock } from "../../../base/files/publish.ts";
import { writeFailure } from "../../../base/files/file-errors.ts";
import { createAgeNote } from "../../../client/response/answer-age.ts";
import { assetsName, checkRoot } from "../../../lake/assets-file.ts";
import { factsOfKind } from "../../../lake/dataset.ts";
import type { Lake, LakeEvents } from "../../../lake/lake-run.ts";
import { createServiceClock, type ServiceClock } from "../../../lake/service-clock.ts";
import { tokensName } from "../../../lake/token-table.ts";
import { type LakePlan, planLake, syncLake } from "../../../lake/sync-lake.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { counted } from "../../../base/text/counted.ts";
import type { Input } from "../command.ts";
import { withoutNames } from "../input/replace-names.ts";
import { recordedService } from "../../run/run-options.ts";
import { readLists } from "./sync-lists.ts";
import { createFailures } from "./sync-failures.ts";
import { createSyncMetrics } from "./sync-metrics.ts";
import { createSyncOutput } from "./sync-output.ts";
import type { syncFlags, syncShared } from "./sync-flags.ts";

type SyncInput = Input<typeof syncFlags & typeof syncShared>;

export async function sync(input: SyncInput, outer: Context): Promise<ExitCode> {
  const [first, ...others] = new Set(input.flags.kind.map((kind) => factsOfKind(kind).asset));
  const takes = others.length === 0 ? first : undefined;
  const named = await withoutNames(input, outer, () => ({
    command: "sync",
    takes,
    words: "after the first",
  }));
  return await withRun(named, outer, async (run) => await syncWithin(run, named), {
    hasProgress: true,
    outlastsOutages: true,
  });
}

async function syncWithin(run: Run, { words, flags, typed }: SyncInput): Promise<ExitCode> {
  const { context, options, report } = run;
  const [root, ...names] = words;
  if (root === undefined)
    throw usageFailure(
      "missing <directory>",
      "usage: dexdata sync <directory> [network:address…|@file|-] [flags]",
    );
  checkRoot(root);
  if (names.length === 0)
    for (const name of ["kind", "interval", "from", "by"])
      if (typed.has(name))
        throw usageFailure(
          `--${name} requires a list of assets`,
          `edit the lines of ${path.join(root, assetsName)} instead`,
        );
  const started = context.clock.elapsed();
  const list = await readLists(run, root, names, flags);
  const isEstimate = flags.estimate === true;
  const lock = isEstimate ? undefined : await lockRoot(run, root);
  const clock = createServiceClock(() => options.now + context.clock.elapsed() - started);
  const open = await run.open({ observer: observerOf(run, clock) });
  const { client } = open;
  const isForced = flags.force === true;
  const { datasets } = list;
  const begun = await planLake({ context, root, isForced, client, lock }, datasets, clock.present());
  const service = recordedService(options, client.target);
  checkService(begun, service);
  if (isEstimate) {
    const { estimateSync } = await import("./estimate-sync.ts");
    return await estimateSync(run, flags, client, begun);
  }
  if (lock === undefined) throw new Error("a run without a lock");
  list.save();
  const output = createSyncOutput(context, flags, datasets);
  const metrics = createSyncMetrics(run, root, begun, output.rows);
  const failures = createFailures(run);
  const lake: Lake = {
    context,
    client,
    root,
    lock,
    service,
    version,
    isForced,
    parallel: options.parallel,
    clock,
    datasetsAt: list.datasetsAt,
    events: {
      ...eventsOf(run),
      ...output.events,
      published: async (dataset, published) => {
        metrics.published(dataset, published);
        await output.events.published(dataset, published);
      },
      failed: failures.add,
    },
  };
  run.progress.begin(() => output.state(client.meter), report.tell);
  const result = await syncLake(lake, datasets, begun).catch((cause: unknown) => {
    failures.tell();
    throw cause;
  });
  await output.end();
  tellChecks(run, begun, isForced);
  tellClock(run, clock);
  if (result.unknownTokens > 0)
    report.warn(
      `${counted(result.unknownTokens, "token")} could not be fetched for ${tokensName}; run the command again`,
    );
  const hasFailed = result.failures.length > 0;
  if (hasFailed && result.succeeded === 0) failures.end();
  failures.tell();
  const isOk = !hasFailed && result.problems === 0;
  if (isOk) metrics.succeeded();
  return isOk ? 0 : 8;
}

function observerOf({ report }: Run, clock: ServiceClock): Pick<ClientObserver, "answered"> {
  const noteAge = createAgeNote(report.note);
  return {
    answered: (exchange) => {
      // An error may come from another machine, with another clock.
      if (exchange.answer?.status === 200) clock.record(exchange.answer.headers.get("date"), exchange.age);
      noteAge(exchange.age);
      report.answered(exchange);
    },
  };
}

/** A changed byte in the middle of a complete file is found only with `--force`. */
function tellChecks({ report, options }: Run, { files, tasks }: LakePlan, isForced: boolean): void {
  const tell = options.hasStats ? report.tell : report.remark;
  if (tasks.length === 0)
    tell("nothing to fetch yet: new rows are due a minute after the last run, candles when they close");
  const held = [...files.values()].flatMap((own) => [...own.values()]);
  const count = new Set(held.map(({ file }) => file)).size;
  if (count === 0) return;
  const found = counted(count, "file");
  tell(
    isForced
      ? `checked every byte of ${found}`
      : `checked the names, sizes and footers of ${found}; --force checks every byte`,
  );
}

/** A wrong clock must not end a day. */
function tellClock({ report }: Run, clock: ServiceClock): void {
  const seconds = clock.difference();
  const effect = clock.isSure() ? "" : "; no file was completed in this run";
  if (clock.isSilent()) report.warn(`no response had a Date header, so the time is uncertain${effect}`);
  else if (seconds !== undefined)
    report.warn(
      `the clock of this machine is ${formatDuration(Math.abs(seconds) * 1000)} ${seconds < 0 ? "ahead of" : "behind"} the service's${effect}`,
    );
}

function eventsOf({ report }: Run): Pick<LakeEvents, "incomplete" | "damaged" | "remark"> {
  return { incomplete: report.warn, damaged: report.warn, remark: report.note };
}

async function lockRoot({ context, report, onClose }: Run, root: string): Promise<FileLock & FolderLock> {
  try {
    makeFolder(root);
  } catch (cause) {
    throw writeFailure("output", root, cause, "name another directory");
  }
  const file = path.join(folderBelow(root, ".dexdata"), "lock");
  const lock = await holdLock(context, file, () =>
    report.remark(`waiting for the lock ${file}, held by another host or container`),
  );
  if (!("release" in lock))
    throw fail("busy", `${root} is in use by ${lock.holder}`, {
      next: `wait until it has finished; if it is not dexdata, delete ${file}`,
    });
  onClose(lock.release);
  return { ...lock, file };
}

function checkService({ files }: LakePlan, service: string): void {
  for (const own of files.values())
    for (const { file, footer } of own.values())
      if (footer !== undefined && !isSameService(footer.service, service))
        throw usageFailure(
          `${file} contains data from another service (${namesIn(footer.service)}); this run uses ${service}`,
          "use one directory for each service",
        );
}
