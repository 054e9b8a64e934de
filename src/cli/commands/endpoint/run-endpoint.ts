import type { Claimed, WantedDestination } from "../../../rows/pull/claim-file.ts";
import type { Context } from "../../../base/context/context.ts";
import { rowShape } from "../../../api/endpoint.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { usageFailure } from "../../../base/failure.ts";
import { outputFormats } from "../../../api/output-format.ts";
import { formats } from "../../render/formats/formats.ts";
import { inWords } from "../../../base/text/counted.ts";
import { checkPrefix } from "../../render/formats/row-prefix.ts";
import { checkColumns } from "../../render/table/choose-columns.ts";
import { reachOf } from "../../../client/pages/distinct-pages.ts";
import { createSeenKeys } from "../../../client/pages/seen-keys.ts";
import { fetchAndPrint } from "../pull/fetch-and-print.ts";
import { type Destination, openStdout } from "../../../rows/pull/destination.ts";
import type { FinishedPull } from "../../../rows/pull/finished-pull.ts";
import type { Input } from "../command.ts";
import type { EndpointFlags, FollowedFlags } from "../flags/endpoint-flags.ts";
import { isMeantAsTime, timedFlags } from "../flags/timed-flags.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import { checkBinaryOutput, formatLabel } from "../pull/binary-output.ts";
import type { ParquetOutput } from "../pull/parquet-output.ts";
import { restOf, restText, explainEarlyEnd } from "../pull/continuation.ts";
import type { AssetSources } from "../../run/asset-names.ts";
import type { OpenClient } from "../../run/open-client.ts";
import { type Run, reportCost, withRun } from "../../run/with-run.ts";
import { type Pull, pullState, type TypedCommand } from "../pull/pull.ts";
import { checkSameQuery, queryDigest, queryOf } from "../pull/pull-query.ts";
import type { EndpointGroup } from "../input/positionals.ts";
import { type Questions, readQuestions } from "../input/questions.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { checkOutFile, checkReceiptFile, targetOf } from "../../../rows/out-files/out-file.ts";
import { hasFields } from "../../../base/files/file-pattern.ts";
import { formatInstant, fromWire } from "../../../base/time/time.ts";
import { refuseTaken, stagingBase } from "../../../rows/out-files/split-path.ts";

export async function runEndpoint(
  group: EndpointGroup,
  input: Input<EndpointFlags>,
  outer: Context,
): Promise<ExitCode> {
  const { watch } = input.flags;
  if (isFollowed(input)) return await (await import("../follow/follow.ts")).runFollow(group, input, outer);
  if (watch !== undefined)
    return await (await import("../watch/watch.ts")).runWatch(group, input, watch, outer);
  if (input.flags.metrics !== undefined)
    throw usageFailure("--metrics requires a run that lasts", "add --watch or --follow, or remove --metrics");
  const command = [...group[0].command.split(" "), ...input.words];
  return await runQuestions({ command, input, outer }, async (options, sources) => {
    const ofPrices = group[0].reply.kind === "batch";
    const isTimed = ofPrices && Object.keys(timedFlags).some((name) => input.typed.has(name));
    const current = isTimed ? undefined : await readQuestions(group, input, options, sources);
    // Each line of a list can have a time where a label would be.
    const hasTimes = ofPrices && current?.named.some(({ label }) => isMeantAsTime(label)) === true;
    if (current !== undefined && !hasTimes) return current;
    const { timedQuestions } = await import("../prices/timed-questions.ts");
    return await timedQuestions(input, options, sources, outer, current?.named);
  });
}

const isFollowed = (input: Input<EndpointFlags>): input is Input<FollowedFlags> =>
  input.flags.follow === true;

/** Everything has been checked by the time the promise resolves. */
type ReadQuestions = (options: RunOptions, sources: AssetSources) => Promise<Questions>;

export async function runQuestions(typed: TypedCommand, read: ReadQuestions): Promise<ExitCode> {
  const { flags } = typed.input;
  const to = readDestination(flags, typed.command);
  const adjust = (options: RunOptions): RunOptions => {
    checkBinaryOutput(options, flags, typed.outer.stdout.isTerminal);
    if (formats[options.format].canGrow) return options;
    if (to.pattern !== undefined)
      throw usageFailure(`--out "${to.pattern}": a table cannot be divided into files`, growingFormats());
    if (!to.isResumed) return options;
    throw usageFailure(
      "--resume cannot be used with --output table: column widths are fixed by the first rows",
      growingFormats(),
    );
  };
  const kind = { adjust, isFile: to.file !== undefined, hasProgress: true };
  return await withRun(typed.input, typed.outer, async (run) => await askWithin(run, typed, to, read), kind);
}

/** The hint for a format whose output cannot be divided or continued. */
function growingFormats(): string {
  const names = outputFormats.filter((format) => formats[format].canGrow);
  return `use ${inWords(names, "or")}`;
}

async function askWithin(
  run: Run,
  typed: TypedCommand,
  to: WantedDestination,
  read: ReadQuestions,
): Promise<ExitCode> {
  const { context, report } = run;
  let claimed: Claimed | undefined;
  if (to.file !== undefined) {
    const { claimFile } = await import("../../../rows/pull/claim-file.ts");
    claimed = await claimFile(context, { ...to, file: to.file }, report.remark);
    run.onClose(claimed.lock.release);
  }
  const finished = await findFinished(claimed, to);
  const begun = finished?.now ?? claimed?.interrupted?.header.now;
  const options = { ...run.options, now: resumedClock(begun, run.options, typed.input.flags) };
  const questions = await read(options, run.sources);
  // An empty cursor, probably an unset variable, would silently read the first page again.
  if (typed.input.typed.get("cursor")?.at(-1) === "")
    report.warn("--cursor is empty; starting at the first page");
  if (options.columns !== undefined) {
    const { endpoint, groups } = questions;
    const tables = new Map(groups.map((group) => [group, rowShape(endpoint, group)]));
    checkColumns(tables, options.columns);
  }
  checkPrefix(options, questions);
  const point = pointInTime(questions);
  if (point !== undefined)
    report.note(`the range is a single point in time; for the entire day, use --day ${point.slice(0, 10)}`);
  if (to.pattern !== undefined) {
    const { checkSplit } = await import("../pull/split-pages.ts");
    const known = checkSplit(to.pattern, questions);
    const isOwn = claimed?.interrupted?.files !== undefined || finished !== undefined;
    if (!to.isForced && !isOwn) refuseTaken(known);
  }
  const asking = { run, typed, to, claimed, options, questions };
  const done = finished && claimed && (await reportFinished(asking, claimed, finished));
  return done ?? (await ask(asking));
}

/** Two equal bounds, such as the same date, rarely mean what they say. */
function pointInTime({ asked: [args], endpoint }: Questions): string | undefined {
  const from = args?.get("from");
  if (from === undefined || from !== args?.get("to") || endpoint.rawPath !== undefined) return undefined;
  return formatInstant(fromWire(from));
}

/**
 * An earlier pull may have finished if --resume is set but there is no checkpoint, or one that the run could not remove.
 */
async function findFinished(
  claimed: Claimed | undefined,
  { isResumed, receipt, pattern }: WantedDestination,
): Promise<FinishedPull | undefined> {
  const placed = claimed?.placed;
  if (placed !== undefined) {
    const { header, progress, files } = placed;
    return { query: queryDigest(header.query), now: header.now, rows: progress.rows, files };
  }
  const isNew = claimed === undefined || claimed.interrupted !== undefined;
  if (!isResumed || isNew || (!claimed.isUnproven && pattern === undefined)) return undefined;
  const { noCheckpoint, readFinishedPull } = await import("../../../rows/pull/finished-pull.ts");
  const finished = receipt === undefined ? undefined : readFinishedPull(receipt, claimed.file);
  if (pattern !== undefined) return finished;
  if (finished === undefined) throw noCheckpoint(claimed.file);
  return finished;
}

/**
 * If the receipt or the checkpoint matches the query and the files, the pull is complete. Returns undefined if only the
 * receipt shows that there was another pull with this path, whose files remain.
 */
async function reportFinished(
  { run: { context, report }, to, questions, options }: Asking,
  { file, placed }: Claimed,
  finished: FinishedPull,
): Promise<ExitCode | undefined> {
  const { completeLine, noCheckpoint } = await import("../../../rows/pull/finished-pull.ts");
  const query = queryOf(questions, options);
  if (placed !== undefined) checkSameQuery(file, placed.header.query, query, questions.endpoint);
  const isOther = queryDigest(query) !== finished.query;
  if (isOther && to.pattern !== undefined) return undefined;
  if (isOther) throw noCheckpoint(file, `, and ${to.receipt} belongs to a different query`);
  const line = await completeLine(finished, to.pattern ?? file, options.packing, context.signal);
  if (placed !== undefined) {
    const { modified } = await import("../../../rows/out-files/read-checkpoint.ts");
    if (line === undefined) throw modified(file);
    (await import("../../../rows/out-files/write-checkpoint.ts")).removeJournal(file);
  }
  if (line === undefined && to.pattern !== undefined) return undefined;
  if (line === undefined) throw noCheckpoint(file, `, and it is not the file that ${to.receipt} describes`);
  report.tell(line);
  const { refused = 0, missing = 0 } = placed?.progress ?? {};
  return refused > 0 || (missing > 0 && questions.missing === "fail") ? 8 : 0;
}

/** In milliseconds. A resumed pull keeps the time range of its first run. */
function resumedClock(begun: number | undefined, { now }: RunOptions, flags: SharedValues): number {
  if (begun !== undefined && flags.now !== undefined && begun !== now) {
    throw usageFailure(
      `--now "${flags.now}": the pull started at ${new Date(begun).toISOString()}`,
      "leave out --now to continue, or start over with --force instead of --resume",
    );
  }
  return begun ?? now;
}

interface Asking {
  readonly run: Run;
  readonly typed: TypedCommand;
  readonly to: WantedDestination;
  readonly claimed: Claimed | undefined;
  /** Based on the first run's clock if the pull is resumed. */
  readonly options: RunOptions;
  readonly questions: Questions;
}

async function ask(asking: Asking): Promise<ExitCode> {
  const { run, options, questions, typed } = asking;
  const { context, report, progress } = run;
  const begun: { pull?: Pull } = {};
  const open = await run.open({
    over: (opened) =>
      reportCost(run, opened, begun.pull === undefined ? undefined : restText(restOf(begun.pull))),
  });
  if (typed.input.flags.estimate === true) {
    const { runEstimate } = await import("./run-estimate.ts");
    return await runEstimate(context, typed.input.flags, options, questions, open.client);
  }
  // A table cannot be resumed, because its column widths depend on its first rows.
  const canResume = asking.claimed !== undefined && formats[options.format].canGrow;
  const seen = questions.walk.made?.seen ?? createSeenKeys(reachOf(questions.endpoint), canResume);
  const parquet = await openParquetOutput(asking, begun);
  const destination = await openRunOutput(asking, open, { seen, canResume, parquet });
  const pull: Pull = { context, options, questions, report, open, destination, seen, typed, parquet };
  begun.pull = pull;
  progress.begin(() => pullState(pull, run.sources.names), report.tell);
  return await runPull(pull, asking.to);
}

/** Also rejects rows of several kinds. The footer of a file has a receipt of the pull, which begins later. */
async function openParquetOutput(
  { options, questions, typed }: Asking,
  begun: { readonly pull?: Pull },
): Promise<ParquetOutput | undefined> {
  if (formats[options.format].binary === undefined) return undefined;
  const { createParquetOutput } = await import("../pull/parquet-output.ts");
  const { footerReceipt } = await import("../pull/receipt.ts");
  return createParquetOutput(questions, options, formatLabel(typed.input.flags), (written) => {
    if (begun.pull === undefined) throw new Error("the file was complete before its pull began");
    return footerReceipt(begun.pull, written);
  });
}

async function openRunOutput(
  { run: { context, report }, to, claimed, options, questions }: Asking,
  { client: { target } }: OpenClient,
  { parquet, ...resuming }: Pick<Pull, "seen" | "parquet"> & { readonly canResume: boolean },
): Promise<Destination> {
  if (claimed === undefined) return openStdout(context.stdout, to.receipt !== undefined);
  const header = {
    query: queryOf(questions, options),
    now: options.now,
    tier: target.tier,
    started: context.clock.now(),
  };
  const { file, interrupted } = claimed;
  const begun = interrupted?.header;
  if (begun !== undefined) checkSameQuery(file, begun.query, header.query, questions.endpoint);
  if (begun !== undefined && begun.tier !== target.tier)
    report.warn(`the pull started on the ${begun.tier} plan and continues on the ${target.tier} plan`);
  const { openFile } = await import("../../../rows/pull/file-destination.ts");
  const packing =
    parquet === undefined
      ? options.packing
      : (await import("../../../rows/pull/parquet-packing.ts")).parquetPacking(parquet.target);
  return await openFile(context, {
    claimed,
    to,
    header,
    inputs: questions.asked.length,
    packing,
    ...resuming,
  });
}

/** However the pull ends, the file and the receipt reflect it. */
async function runPull(run: Pull, to: WantedDestination): Promise<ExitCode> {
  const started = run.context.clock.now();
  const receive = async (exit: number, failure?: unknown): Promise<void> => {
    if (to.receipt === undefined) return;
    const { writeReceipt } = await import("../pull/receipt.ts");
    writeReceipt(to, run, { started, exit, failure });
  };
  let exit: ExitCode;
  try {
    exit = await fetchAndPrint(run).catch(async (cause: unknown) => {
      await run.destination.abandon();
      throw cause;
    });
    await run.destination.finish();
    for (const line of run.parquet?.notes() ?? []) run.report.note(line);
  } catch (cause) {
    const failure = explainEarlyEnd(cause, run, to);
    // The pull's failure is more important than a failure to write the receipt.
    await receive(1, failure).catch((problem: unknown) => {
      run.report.warn(problem instanceof Error ? problem.message : String(problem));
    });
    throw failure;
  }
  await receive(exit);
  run.destination.forget();
  await tellOutput(run, exit);
  return exit;
}

async function tellOutput(run: Pull, exit: ExitCode): Promise<void> {
  const { context, options, report, typed } = run;
  const { out } = typed.input.flags;
  if (out === undefined || !(context.stderr.isTerminal || options.hasStats)) return;
  const { outSummary } = await import("../pull/out-summary.ts");
  const tell = options.hasStats ? report.tell : report.remark;
  tell(outSummary(run, out, exit));
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
