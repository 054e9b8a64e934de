import path from "node:path";
import type { ClientObserver } from "../../../client/client.ts";
import { type Context, isInterruption } from "../../../base/context/context.ts";
import { formatDuration } from "../../../api/duration.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { usageFailure } from "../../../base/failure.ts";
import { createAgeNote } from "../../../client/freshness.ts";
import { assetsName } from "../../../lake/assets-file.ts";
import { factsOfKind, isPoolList } from "../../../lake/dataset.ts";
import {
  checkRoot,
  checkService,
  lockRoot,
  type Lake,
  createServiceClock,
  type ServiceClock,
} from "../../../lake/lake.ts";
import { type LakePlan, planLake, syncLake, type SyncResult } from "../../../lake/sync-lake.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { counted, quoted } from "../../../base/text/words.ts";
import type { Input } from "../command.ts";
import { withoutNames } from "../input/targets.ts";
import { splitPair } from "../input/subjects.ts";
import { recordedService, runningClock } from "../../run/run-options.ts";
import { usage } from "./list-datasets.ts";
import { readLists } from "./sync-lists.ts";
import { createFailures, createSyncMetrics, createSyncOutput } from "./sync-output.ts";
import type { syncFlags, syncShared } from "./sync-flags.ts";
import { watchLists } from "./watch-lists.ts";
import { tokensName } from "../../../lake/layout.ts";

/** Only an estimate and a run that lasts need them. */
const loadCosts = async () => await import("./estimate-sync.ts");

type SyncInput = Input<typeof syncFlags & typeof syncShared>;

export async function sync(input: SyncInput, outer: Context): Promise<ExitCode> {
  const [first, ...others] = new Set(input.flags.kind.map((kind) => factsOfKind(kind).asset));
  const takes = others.length === 0 ? first : undefined;
  const named = await withoutNames(input, outer, () => ({
    command: "sync",
    takes,
    words: "after the first",
  }));
  const work = async (run: Run): Promise<ExitCode> =>
    await syncWithin(run, named).catch((cause: unknown) => {
      const { reason } = outer.signal;
      const isCut = isInterruption(reason) && reason.cause === "closed-pipe" && input.flags.estimate !== true;
      if (!isCut) throw cause;
      run.report.fault("stdout was closed before the sync was complete; run the command again");
      return 8 as const;
    });
  return await withRun(named, outer, work, { hasProgress: true, outlastsOutages: true });
}

async function syncWithin(run: Run, { words, flags, typed }: SyncInput): Promise<ExitCode> {
  const { context, options, report } = run;
  const [root, ...names] = checkWords(words);
  if (names.length === 0 && flags.search === undefined)
    for (const name of ["kind", "interval", "from", "by", "list", "every"])
      if (typed.has(name))
        throw usageFailure(
          `--${name} requires a list of assets`,
          name === "by"
            ? "existing datasets keep their layout; for another one, use another directory"
            : `edit the lines of ${path.join(root, assetsName)} instead`,
        );
  const clock = createServiceClock(runningClock(options, context.clock));
  const { client } = await run.open({ observer: { answered: answeredAt(run, clock) } });
  const list = await readLists(run, root, names, { ...flags, tier: client.target.tier, typed });
  const lock = flags.estimate === true ? undefined : await lockRoot(context, root, report.hint);
  if (lock !== undefined) run.onClose(lock.release);
  const isForced = flags.force === true;
  const { datasets, datasetsAt } = list;
  const service = recordedService(options, client.target);
  const planner = { context, root, isForced, client, lock, service, damaged: report.warn };
  const begun = await planLake(planner, datasets, clock.present());
  checkService(begun.files.values(), service);
  if (lock === undefined) return await (await loadCosts()).estimateSync(run, flags, planner, begun);
  const every = Math.min(...datasets.filter(isPoolList).map((each) => each.every));
  if (flags.watch === true && !Number.isFinite(every))
    throw usageFailure(
      "--watch requires --search or --kind pools, and this directory has neither",
      "for transactions and candles, run sync with cron",
    );
  list.save();
  const output = createSyncOutput(context, flags, datasets);
  const metrics = createSyncMetrics(run, root, begun, output.rows);
  const failures = createFailures(run);
  let isUnread = false;
  const events: Lake["events"] = {
    warn: report.warn,
    info: report.info,
    failed: (dataset, failure) => {
      // Other failures do not show whether a search is right.
      if (failure.exit === 2 || failure.exit === 3) list.judged(dataset, false);
      isUnread ||= isPoolList(dataset) && [6, 7, 8].includes(failure.exit);
      failures.add(dataset, failure);
    },
    ...output.events,
    published: async (published) => {
      list.judged(published.dataset, true);
      metrics.published(published);
      await output.events.published(published);
    },
  };
  const lake = { ...planner, lock, parallel: options.parallel, clock, datasetsAt, events };
  run.progress.begin(() => output.state(client.meter), report.print);
  const runOnce = async (plan: LakePlan): Promise<ExitCode> => {
    const result = await syncLake(lake, plan).catch((cause: unknown) => {
      failures.end(true);
      throw cause;
    });
    await output.end();
    const isOk = tellResult(run, lake, plan, result);
    failures.end(result.failed < datasets.length);
    if (isOk) metrics.succeeded();
    return isOk ? 0 : 8;
  };
  if (flags.watch !== true) return await runOnce(begun);
  const reportLeft = (await loadCosts()).reportWatchCost(run, client, datasets);
  let plan: LakePlan | undefined;
  const round = async (): Promise<boolean> => {
    const isFirst = plan === undefined;
    plan = isFirst ? begun : await planLake(lake, datasets, clock.present());
    isUnread = false;
    await runOnce(plan).finally(isFirst ? reportLeft : undefined);
    return !isUnread;
  };
  return await watchLists(run, { every, clock, round });
}

function checkWords([root, ...names]: readonly string[]): readonly [root: string, ...names: string[]] {
  if (root === undefined) throw usageFailure("missing <directory>", usage);
  if (splitPair(root) !== undefined)
    throw usageFailure(
      `missing <directory> before ${root}`,
      `e.g. dexdata sync lake ${[root, ...names].map(quoted).join(" ")}`,
    );
  checkRoot(root);
  return [root, ...names];
}

/** Whether everything could be read. */
function tellResult(run: Run, { isForced, clock }: Lake, plan: LakePlan, result: SyncResult): boolean {
  const { problems, unknownTokens, failed } = result;
  tellChecks(run, plan, isForced);
  tellClock(run, clock);
  if (unknownTokens > 0)
    run.report.warn(
      `${counted(unknownTokens, "token")} could not be fetched for ${tokensName}; run the command again`,
    );
  return failed === 0 && problems === 0;
}

function answeredAt({ report }: Run, clock: ServiceClock): ClientObserver["answered"] {
  const noteAge = createAgeNote(report.info);
  return ({ answer, age }) => {
    // An error may come from another machine, with another clock.
    if (answer?.status === 200) clock.record(answer.headers.get("date"), age);
    noteAge(age);
  };
}

/** A changed byte in the middle of a complete file is found only with `--force`. */
function tellChecks({ report, options }: Run, { files, tasks }: LakePlan, isForced: boolean): void {
  const print = options.hasStats ? report.print : report.hint;
  if (tasks.length === 0)
    print(
      "nothing to fetch yet: new rows are due a minute after the last run, candles when they close, and pools with their next period",
    );
  const held = [...files.values()].flatMap((own) => [...own.values()]);
  const count = new Set(held.map(({ file }) => file)).size;
  if (count === 0) return;
  const found = counted(count, "file");
  print(
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
