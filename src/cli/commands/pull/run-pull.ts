import type { OutputClaim, WantedDestination } from "../../../rows/claim-file.ts";
import { refuseTaken } from "../../../rows/out-file.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { formats } from "../../render/formats/formats.ts";
import { createSeenKeys, reachOf } from "../../../client/seen-keys.ts";
import { totalsOf } from "../../../rows/pull.ts";
import type { FinishedPull } from "../../../rows/finished-pull.ts";
import type { AssetSources } from "../../run/with-run.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { reportCost, type Run, withRun } from "../../run/with-run.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import { findFinished, reportFinished, restText, resumedClock } from "./continuation.ts";
import {
  checkBinaryOutput,
  checkDestination,
  openParquetOutput,
  openRunOutput,
  readDestination,
} from "./open-output.ts";
import { printAndClose } from "./print-rows.ts";
import { type OpenedPull, type PlannedPull, type Pull, pullState, type TypedCommand } from "./pull.ts";
import { rowShape } from "../../../api/endpoint.ts";
import { hintAtDay } from "../../../api/read-param.ts";
import { fromWire } from "../../../base/time/time.ts";
import { checkPrefix } from "../../render/formats/row-prefix.ts";
import { checkColumns } from "../../render/table/choose-columns.ts";

/** Everything has been checked by the time the promise resolves. */
type ReadPlan = (options: RunOptions, sources: AssetSources) => Promise<PullPlan>;

/** A command that prints rows or writes them to files, from its flags to its exit code. */
export async function runPull(typed: TypedCommand, read: ReadPlan): Promise<ExitCode> {
  const { flags, outer } = typed;
  const to = readDestination(flags, typed.command);
  const adjust = (options: RunOptions): RunOptions => {
    checkBinaryOutput(options, flags, outer.stdout.isTerminal);
    checkDestination(options, to);
    return options;
  };
  const kind = { adjust, isFile: to.file !== undefined, hasProgress: true };
  return await withRun(typed, outer, async (run) => await openAndPrint(run, typed, to, read), kind);
}

/** What was opened is closed in reverse order, however the run ends. */
async function openAndPrint(
  run: Run,
  typed: TypedCommand,
  to: WantedDestination,
  read: ReadPlan,
): Promise<ExitCode> {
  const claim = await claimOutput(run, to);
  const finished = await findFinished(claim, to);
  // A resumed pull continues with the clock and the totals of its earlier runs.
  const { header, progress } = claim?.interrupted ?? claim?.published ?? {};
  const now = resumedClock(finished?.now ?? header?.now, run.options, typed.flags);
  const options = { ...run.options, now };
  const plan = await read(options, run.sources);
  const reached = { totals: totalsOf(progress), last: undefined };
  const planned: PlannedPull = { ...run, ...typed, to, claim, options, plan, reached };
  await checkPlan(planned, finished);
  const done = finished && claim && (await reportFinished(planned, claim, finished));
  if (done !== undefined) return done;
  const { client } = await run.open({ onClosed: (open) => reportCost(planned, open, restText(planned)) });
  const opened = { ...planned, client };
  if (typed.flags.estimate === true) return await (await import("./run-estimate.ts")).runEstimate(opened);
  const pull = await openOutput(opened);
  run.progress.begin(() => pullState(pull), run.report.print);
  return await printAndClose(pull);
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

async function openOutput(opened: OpenedPull): Promise<Pull> {
  const { claim, options, plan } = opened;
  // A table cannot be resumed, because its column widths depend on its first rows.
  const canResume = claim !== undefined && formats[options.format].columns !== "guessed";
  const { endpoint, list } = plan;
  const seen = list.kind === "made" ? list.seen : createSeenKeys(reachOf(endpoint), canResume);
  const parquet = await openParquetOutput(opened);
  const destination = await openRunOutput(opened, { seen, canResume, parquet });
  return { ...opened, destination, seen, parquet };
}

/** What needs both the plan and the output: columns, the prefix, and the files of a path with fields. */
async function checkPlan(planned: PlannedPull, finished: FinishedPull | undefined): Promise<void> {
  const { to, claim, plan, options } = planned;
  const { endpoint, groups } = plan;
  if (options.columns !== undefined) {
    const tables = new Map(groups.map((group) => [group, rowShape(endpoint, group)]));
    checkColumns(tables, options.columns, options.format);
  }
  checkPrefix(options, plan);
  remarkOnInput(planned);
  if (to.pattern === undefined) return;
  const { checkSplit } = await import("./split-pages.ts");
  const known = checkSplit(to.pattern, plan);
  const isOwn = claim?.interrupted?.files !== undefined || finished !== undefined;
  if (!to.isForced && !isOwn) refuseTaken(known);
}

/** What is valid, but rarely meant. */
function remarkOnInput({ report, typed, plan }: PlannedPull): void {
  // An empty cursor, probably an unset variable, would silently read the first page again.
  if (typed.get("cursor")?.at(-1) === "") report.warn("--cursor is empty; starting at the first page");
  const [args] = plan.argSets;
  const from = args?.get("from");
  if (from === undefined || from !== args?.get("to") || plan.endpoint.raw !== undefined) return;
  // Two equal bounds, such as the same date, rarely mean what they say.
  report.info(`the range is a single point in time; ${hintAtDay(fromWire(from))}`);
}
