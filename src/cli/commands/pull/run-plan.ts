import type { OutputClaim, WantedDestination } from "../../../rows/claim-file.ts";
import { rowShape } from "../../../api/endpoint.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { formats } from "../../render/formats/formats.ts";
import { checkPrefix } from "../../render/formats/row-prefix.ts";
import { checkColumns } from "../../render/table/choose-columns.ts";
import { createSeenKeys, reachOf } from "../../../client/seen-keys.ts";
import { explainEarlyEnd, restText } from "./continuation.ts";
import { printRows } from "./print-rows.ts";
import type { AssetSources } from "../../run/asset-names.ts";
import { type Opening, type Run, reportCost, short, withRun } from "../../run/with-run.ts";
import { type PlannedPull, type Pull, pullState, type TypedCommand } from "./pull.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { formatInstant, fromWire } from "../../../base/time/time.ts";
import { findFinished, reportFinished, resumedClock } from "./finished-earlier.ts";
import {
  checkBinaryOutput,
  checkDestination,
  openParquetOutput,
  openRunOutput,
  readDestination,
} from "./open-output.ts";
import { refuseTaken } from "../../../rows/out-file.ts";
import { totalsOf } from "../../../rows/pull-totals.ts";

/** Everything has been checked by the time the promise resolves. */
type ReadPlan = (options: RunOptions, sources: AssetSources) => Promise<PullPlan>;

export async function runPlan(typed: TypedCommand, read: ReadPlan): Promise<ExitCode> {
  const { flags, outer } = typed;
  const to = readDestination(flags, typed.command);
  const adjust = (options: RunOptions): RunOptions => {
    checkBinaryOutput(options, flags, outer.stdout.isTerminal);
    checkDestination(options, to);
    return options;
  };
  const kind = { ...short, adjust, isFile: to.file !== undefined, hasProgress: true };
  return await withRun(typed, outer, async (run) => await planPull(run, typed, to, read), kind);
}

async function planPull(
  run: Run,
  typed: TypedCommand,
  to: WantedDestination,
  read: ReadPlan,
): Promise<ExitCode> {
  const claim = await claimOutput(run, to);
  const finished = await findFinished(claim, to);
  const begun = finished?.now ?? claim?.interrupted?.header.now;
  const options = { ...run.options, now: resumedClock(begun, run.options, typed.flags) };
  const plan = await read(options, run.sources);
  const totals = totalsOf(claim?.interrupted?.progress);
  const reached = { totals, last: undefined, unfinished: 0, doubt: undefined };
  const planned = { ...run, ...typed, to, claim, options, plan, reached };
  checkColumnsOf(planned);
  remarkOnInput(planned);
  if (to.pattern !== undefined) {
    const { checkSplit } = await import("./split-pages.ts");
    const known = checkSplit(to.pattern, plan);
    const isOwn = claim?.interrupted?.files !== undefined || finished !== undefined;
    if (!to.isForced && !isOwn) refuseTaken(known);
  }
  const done = finished && claim && (await reportFinished(planned, claim, finished));
  return done ?? (await openPull(planned));
}

async function claimOutput(
  { context, report, onClose }: Run,
  to: WantedDestination,
): Promise<OutputClaim | undefined> {
  if (to.file === undefined) return undefined;
  const { claimFile } = await import("../../../rows/claim-file.ts");
  const claim = await claimFile(context, { ...to, file: to.file }, report.hint);
  onClose(claim.lock.release);
  return claim;
}

function checkColumnsOf({ options, plan }: PlannedPull): void {
  const { endpoint, groups } = plan;
  if (options.columns !== undefined) {
    const tables = new Map(groups.map((group) => [group, rowShape(endpoint, group)]));
    checkColumns(tables, options.columns);
  }
  checkPrefix(options, plan);
}

/** What is valid, but rarely meant. */
function remarkOnInput({ report, typed, plan }: PlannedPull): void {
  // An empty cursor, probably an unset variable, would silently read the first page again.
  if (typed.get("cursor")?.at(-1) === "") report.warn("--cursor is empty; starting at the first page");
  const point = pointInTime(plan);
  if (point !== undefined)
    report.info(`the range is a single point in time; for the entire day, use --day ${point.slice(0, 10)}`);
}

/** Two equal bounds, such as the same date, rarely mean what they say. */
function pointInTime({ argSets: [args], endpoint }: PullPlan): string | undefined {
  const from = args?.get("from");
  if (from === undefined || from !== args?.get("to") || endpoint.raw !== undefined) return undefined;
  return formatInstant(fromWire(from));
}

async function openPull(planned: PlannedPull): Promise<ExitCode> {
  const { context, flags, options, plan, progress, report } = planned;
  const onClosed: Opening["onClosed"] = (opened) => reportCost(planned, opened, restText(planned));
  const { client } = await planned.open({ onClosed });
  if (flags.estimate === true) {
    const { runEstimate } = await import("./run-estimate.ts");
    return await runEstimate(context, flags, options, plan, client);
  }
  // A table cannot be resumed, because its column widths depend on its first rows.
  const canResume = planned.claim !== undefined && formats[options.format].canGrow;
  const { endpoint, list } = plan;
  const seen = list.kind === "made" ? list.seen : createSeenKeys(reachOf(endpoint), canResume);
  const opened = { ...planned, client };
  const parquet = await openParquetOutput(opened);
  const destination = await openRunOutput(opened, { seen, canResume, parquet });
  const pull = { ...opened, destination, seen, parquet };
  progress.begin(() => pullState(pull), report.print);
  return await runPull(pull);
}

/** However the pull ends, the file and the receipt reflect it. */
async function runPull(run: Pull): Promise<ExitCode> {
  const started = run.context.clock.now();
  const receive = async (exit: number, failure?: unknown): Promise<void> => {
    if (run.to.receipt === undefined) return;
    const { writeReceipt } = await import("./receipt.ts");
    writeReceipt(run, { started, exit, failure });
  };
  let exit: ExitCode;
  try {
    exit = await printRows(run).catch(async (cause: unknown) => {
      await run.destination.abort();
      throw cause;
    });
    await run.destination.commit();
    for (const line of run.parquet?.notes() ?? []) run.report.info(line);
  } catch (cause) {
    const failure = explainEarlyEnd(cause, run);
    // The pull's failure is more important than a failure to write the receipt.
    await receive(1, failure).catch((problem: unknown) => {
      run.report.warn(problem instanceof Error ? problem.message : String(problem));
    });
    throw failure;
  }
  await receive(exit);
  run.destination.removeCheckpoint();
  await tellOutput(run, exit);
  return exit;
}

async function tellOutput(run: Pull, exit: ExitCode): Promise<void> {
  const { context, options, report, flags } = run;
  const { out } = flags;
  if (out === undefined || !(context.stderr.isTerminal || options.hasStats)) return;
  const { outSummary } = await import("./out-summary.ts");
  const print = options.hasStats ? report.print : report.hint;
  print(outSummary(run, out, exit));
}
