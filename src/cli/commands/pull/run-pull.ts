import type { OutputClaim, WantedDestination } from "../../../rows/claim-file.ts";
import {
  checkOutFile,
  checkReceiptFile,
  nameWithoutGzip,
  refuseTaken,
  stagingBase,
  targetOf,
} from "../../../rows/out-file.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { formats } from "../../render/formats/formats.ts";
import { createSeenKeys, reachOf } from "../../../client/seen-keys.ts";
import { totalsOf } from "../../../rows/pull.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { type AssetSources, reportCost, type Run, withRun } from "../../run/with-run.ts";
import { checkShown, type PullPlan } from "../input/pull-plan.ts";
import { restText } from "./continuation.ts";
import { printAndClose } from "./print-rows.ts";
import {
  formatLabel,
  type OpenedPull,
  type PlannedPull,
  type Pull,
  pullState,
  type TypedCommand,
} from "./pull.ts";
import { checkSameQuery, findFinished, queryOf, reportFinished, resumedClock } from "./earlier-pull.ts";
import { hintAtDay } from "../../../api/read-param.ts";
import { openStdout } from "../../../rows/rows-output.ts";
import { usageFailure } from "../../../base/failure.ts";
import { outputFormats } from "../../../api/output-format.ts";
import { inWords, quoted } from "../../../base/text/words.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import { hasFields } from "../../../base/files/file-pattern.ts";
import { fromWire } from "../../../base/time/time.ts";

/** Everything has been checked by the time the promise resolves. */
type ReadPlan = (options: RunOptions, sources: AssetSources) => Promise<PullPlan>;

/** A command that prints rows or writes them to files, from its flags to its exit code. */
export async function runPull(typed: TypedCommand, outer: Context, read: ReadPlan): Promise<ExitCode> {
  const { flags } = typed;
  const to = readDestination(flags, typed.command);
  const kind = { isFile: to.file !== undefined, hasProgress: true };
  return await withRun(typed, outer, async (run) => await openAndPrint(run, typed, to, read), kind);
}

/** Rejects a file that would be overwritten. */
function readDestination(flags: SharedValues, command: readonly string[]): WantedDestination {
  const { out, receipt } = flags;
  const isResumed = flags.resume === true;
  const isForced = flags.force === true;
  const pattern = out !== undefined && hasFields(out) ? out : undefined;
  const file = pattern === undefined ? out && targetOf(out) : stagingBase(pattern, command);
  if (out !== undefined && pattern === undefined) checkOutFile(out, isResumed || isForced);
  if (receipt !== undefined) checkReceiptFile(receipt, pattern === undefined ? out : file);
  return { file, pattern, isResumed, isForced, receipt };
}

/** Fails if the output of this format cannot go where it should. */
function checkOutput(
  { context, options: { format, encoder } }: Run,
  flags: SharedValues,
  { pattern, isResumed }: WantedDestination,
): void {
  const { binary, columns } = formats[format];
  const label = formatLabel(flags);
  if (binary !== undefined && flags["no-header"] === true)
    throw usageFailure(
      `--no-header cannot be used with ${label}: ${format} has no header row`,
      "remove --no-header",
    );
  if (binary !== undefined && encoder !== undefined)
    throw usageFailure(
      `--out "${flags.out}": ${format} files are already compressed`,
      `remove the last extension: --out ${quoted(nameWithoutGzip(flags.out ?? ""))}`,
    );
  if (binary !== undefined && flags.out === undefined && context.stdout.isTerminal)
    throw usageFailure(
      `${label} cannot be printed to a terminal`,
      `write it to a file: --out rows.${format}`,
    );
  if (columns !== "guessed" || (pattern === undefined && !isResumed)) return;
  const names = outputFormats.filter((name) => formats[name].columns !== "guessed");
  throw usageFailure(
    pattern === undefined
      ? "--resume cannot be used with --output table: column widths are fixed by the first rows"
      : `--out "${pattern}": a table cannot be divided into files`,
    `use ${inWords(names, "or")}`,
  );
}

/** What was opened is closed in reverse order, however the run ends. */
async function openAndPrint(
  run: Run,
  typed: TypedCommand,
  to: WantedDestination,
  read: ReadPlan,
): Promise<ExitCode> {
  checkOutput(run, typed.flags, to);
  const claim = await claimOutput(run, to);
  const finished = await findFinished(claim, to);
  // A resumed pull continues with the clock and the totals of its earlier runs.
  const { header, progress } = claim?.interrupted ?? claim?.published ?? {};
  const now = resumedClock(finished?.now ?? header?.now, run.options, typed.flags);
  const options = { ...run.options, now };
  const plan = await read(options, run.sources);
  const reached = { totals: totalsOf(progress), last: undefined };
  const planned: PlannedPull = { ...run, ...typed, to, claim, options, plan, reached };
  await checkPlan(planned, finished !== undefined);
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
  const { context, claim, to, options, plan, reached } = opened;
  const { endpoint, list } = plan;
  const { columns, binary } = formats[options.format];
  // A table cannot be resumed, because its column widths depend on its first rows.
  const canResume = claim !== undefined && columns !== "guessed";
  const seen = list.kind === "made" ? list.seen : createSeenKeys(reachOf(endpoint), canResume);
  const parquet = binary && (await import("./parquet-output.ts")).createParquetOutput(opened);
  if (claim === undefined)
    return { ...opened, destination: openStdout(context.stdout, to.receipt !== undefined), seen, parquet };
  const header = newHeader(opened, claim);
  const { openRowsFile } = await import("../../../rows/rows-file.ts");
  const destination = await openRowsFile(context, {
    claim,
    to,
    header,
    inputs: plan.argSets.length,
    totals: reached.totals,
    seen,
    canResume,
    encoder: parquet?.encoder ?? options.encoder,
  });
  return { ...opened, destination, seen, parquet };
}

/** Fails if the interrupted pull in the file is another one. */
function newHeader(opened: OpenedPull, { file, interrupted }: OutputClaim) {
  const { context, report, options, plan } = opened;
  const { tier } = opened.client.target;
  const header = { query: queryOf(opened), now: options.now, tier, started: context.clock.now() };
  const begun = interrupted?.header;
  if (begun !== undefined) checkSameQuery(file, begun.query, header.query, plan.endpoint);
  if (begun !== undefined && begun.tier !== tier)
    report.warn(`the pull started on the ${begun.tier} plan and continues on the ${tier} plan`);
  return header;
}

/** What needs both the plan and the output: columns, the prefix, and the files of a path with fields. */
async function checkPlan(planned: PlannedPull, isFinished: boolean): Promise<void> {
  const { to, claim, plan, options } = planned;
  checkShown(options, plan);
  remarkOnInput(planned);
  if (to.pattern === undefined) return;
  const { checkSplit } = await import("./split-pages.ts");
  const known = checkSplit(to.pattern, plan);
  const isOwn = isFinished || claim?.interrupted?.files !== undefined;
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
