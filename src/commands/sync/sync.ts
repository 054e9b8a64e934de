import path from "node:path";
import type { Target } from "../../client/connection/target.ts";
import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { fail, type Failure, usageFailure } from "../../contract/failure.ts";
import { isLoopback } from "../../contract/host.ts";
import { version } from "../../contract/version.ts";
import { type FileLock, holdLock } from "../../files/file-lock.ts";
import { makeFolder } from "../../files/paths.ts";
import { writeFailure } from "../../files/file-errors.ts";
import { addAssets, assetsName, checkRoot, firstPeriod, readAssets } from "../../lake/assets-file.ts";
import { type Dataset, nameOfDataset } from "../../lake/dataset.ts";
import type { Lake, LakeEvents } from "../../lake/lake-run.ts";
import { folderOf } from "../../lake/layout.ts";
import { tokensName } from "../../lake/token-table.ts";
import { type LakePlan, planLake, syncLake } from "../../lake/sync-lake.ts";
import { formats } from "../../render/formats/formats.ts";
import { formatOf } from "../../run/output/local-output.ts";
import { failureJson } from "../../run/failure-text.ts";
import type { Values } from "../../run/flags/flag.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { SECONDS_PER_DAY } from "../../time/calendar.ts";
import { createServicePresent } from "../../tail/follow/row-writer.ts";
import { counted } from "../../text/counted.ts";
import type { Input } from "../command.ts";
import { serviceOf } from "../endpoint/pull-query.ts";
import { dayOf, type ListedDataset, readDatasetList, readDatasets } from "./list-datasets.ts";
import { createSyncOutput } from "./sync-output.ts";
import type { syncFlags, syncShared } from "./sync-flags.ts";

type SyncInput = Input<typeof syncFlags & typeof syncShared>;
type SyncValues = Values<typeof syncFlags & typeof syncShared>;

export async function sync(input: SyncInput, outer: Context): Promise<ExitCode> {
  return await withRun(input.flags, outer, async (run) => await syncWithin(run, input), {
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
  const format = formatOf(context, flags);
  if (formats[format].binary !== undefined)
    throw usageFailure(
      `--output ${format}: sync prints text about the files that it writes`,
      "use ndjson, json, csv or tsv",
    );
  checkRoot(root);
  if (names.length === 0)
    for (const name of ["kind", "interval", "from"])
      if (typed.has(name))
        throw usageFailure(
          `--${name} requires a list of assets`,
          `edit the lines of ${path.join(root, assetsName)} instead`,
        );
  const { added, datasets } = await readAll(run, root, names, flags);
  const isEstimate = flags.estimate === true;
  const lock = isEstimate ? undefined : await lockRoot(run, root);
  const present = createServicePresent(context.clock);
  let isHeard = false;
  const open = await run.open({
    observer: {
      answered: (exchange) => {
        // An error may come from another machine, with another clock.
        const date = exchange.answer?.status === 200 ? exchange.answer.headers.get("date") : undefined;
        isHeard ||= date !== undefined;
        present.heard(date);
        report.answered(exchange);
      },
    },
  });
  const { client } = open;
  const isForced = flags.force === true;
  const begun = await planLake({ root, isForced, client }, datasets, Math.floor(options.now / 1000));
  const service = serviceName(options, client.target);
  checkService(begun, service);
  if (isEstimate) {
    const { estimateSync } = await import("./estimate-sync.ts");
    return await estimateSync(run, flags, client, begun);
  }
  if (lock === undefined) throw new Error("a run without a lock");
  addAssets(context, root, added);
  const output = createSyncOutput(context, flags);
  const lake: Lake = {
    context,
    client,
    root,
    lock,
    service,
    version,
    isForced,
    now: begun.present,
    parallel: options.parallel,
    present: () => (isHeard ? present.seconds() : undefined),
    events: { ...eventsOf(run), ...output.events },
  };
  run.progress.begin(() => output.state(client.meter), report.tell);
  const result = await syncLake(lake, datasets, begun);
  await output.end();
  if (result.unknownTokens > 0)
    report.warn(
      `${counted(result.unknownTokens, "token")} could not be fetched for ${tokensName}; run it again`,
    );
  const [failure] = result.failures;
  if (failure !== undefined && result.succeeded === 0) throw failure;
  return failure !== undefined || result.problems > 0 ? 8 : 0;
}

function eventsOf({ report, options }: Run): Pick<LakeEvents, "incomplete" | "damaged" | "twins" | "failed"> {
  return {
    incomplete: report.warn,
    damaged: report.warn,
    twins: report.note,
    failed: (dataset: Dataset, failure: Failure) => {
      if (options.errorFormat === "json") report.tell(failureJson(failure).trimEnd());
      else report.fault(`${nameOfDataset(dataset)}: ${failure.message}`);
    },
  };
}

/** The stored list and the arguments. `added` are the datasets that the stored list lacks. */
async function readAll(run: Run, root: string, names: readonly string[], flags: SyncValues) {
  const { now } = run.options;
  const usual = { kinds: ["transactions"] as const, interval: "1h" as const, from: undefined, now };
  const { kind: kinds = usual.kinds, interval = usual.interval, from } = flags;
  const given = await readDatasets(names, run.sources, { kinds, interval, from, now });
  const file = path.join(root, assetsName);
  const text = readAssets(root);
  if (text === undefined && names.length === 0)
    throw usageFailure(`${file} does not exist`, `name the assets: dexdata sync ${root} @pools.ndjson`);
  const stored = text === undefined ? [] : readDatasetList(text, file, usual);
  const begun = (listed: ListedDataset): Dataset => {
    const dataset = { ...listed, from: listed.from ?? 0 };
    const first = listed.from ?? firstPeriod(root, dataset) ?? dayOf(now / 1000 - 6 * SECONDS_PER_DAY);
    return { ...dataset, from: first };
  };
  const known = new Set(stored.map((dataset) => folderOf(begun(dataset))));
  const added = given.map(begun).filter((dataset) => !known.has(folderOf(dataset)));
  return { added, datasets: [...stored.map(begun), ...added] };
}

async function lockRoot({ context, report, onClose }: Run, root: string): Promise<FileLock> {
  const folder = path.join(root, ".dexdata");
  try {
    makeFolder(folder);
  } catch (cause) {
    throw writeFailure("output", folder, cause, "name another directory");
  }
  const file = path.join(folder, "lock");
  const lock = await holdLock(context, file, () =>
    report.remark(`waiting for the lock ${file}, held by another host or container`),
  );
  if (!("release" in lock))
    throw fail("busy", `${root} is in use by ${lock.holder}`, {
      next: `wait until it has finished; if it is not dexdata, delete ${file}`,
    });
  onClose(lock.release);
  return lock;
}

/** Local servers, such as `dexdata sandbox`, may get another port each time. */
function serviceName(options: RunOptions, { isSimulated, rest }: Target): string {
  const isLocal = !isSimulated && isLoopback(new URL(rest).hostname);
  return isLocal ? "a local server" : serviceOf(options);
}

function checkService({ files }: LakePlan, service: string): void {
  for (const own of files.values())
    for (const { file, footer } of own.values())
      if (footer !== undefined && footer.service !== service)
        throw usageFailure(
          `${file} has data of another service: ${footer.service}; now ${service}`,
          "use one directory for each service",
        );
}
