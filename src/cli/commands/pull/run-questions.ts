import type { Claimed, WantedDestination } from "../../../rows/pull/claim-file.ts";
import { rowShape } from "../../../api/endpoint.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { formats } from "../../render/formats/formats.ts";
import { checkPrefix } from "../../render/formats/row-prefix.ts";
import { checkColumns } from "../../render/table/choose-columns.ts";
import { reachOf } from "../../../client/pages/distinct-pages.ts";
import { createSeenKeys } from "../../../client/pages/seen-keys.ts";
import { checkBinaryOutput } from "./binary-output.ts";
import { restOf, restText } from "./continuation.ts";
import type { AssetSources } from "../../run/asset-names.ts";
import { type Run, reportCost, withRun } from "../../run/with-run.ts";
import { type Pull, pullState, type TypedCommand } from "./pull.ts";
import type { Questions } from "../input/questions.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { formatInstant, fromWire } from "../../../base/time/time.ts";
import { refuseTaken } from "../../../rows/out-files/split-path.ts";
import { findFinished, reportFinished, resumedClock } from "./finished-earlier.ts";
import { runPull } from "./run-pull.ts";
import {
  checkDestination,
  openParquetOutput,
  openRunOutput,
  type Opening,
  readDestination,
} from "./open-output.ts";

/** Everything has been checked by the time the promise resolves. */
type ReadQuestions = (options: RunOptions, sources: AssetSources) => Promise<Questions>;

export async function runQuestions(typed: TypedCommand, read: ReadQuestions): Promise<ExitCode> {
  const { flags } = typed.input;
  const to = readDestination(flags, typed.command);
  const adjust = (options: RunOptions): RunOptions => {
    checkBinaryOutput(options, flags, typed.outer.stdout.isTerminal);
    checkDestination(options, to);
    return options;
  };
  const kind = { adjust, isFile: to.file !== undefined, hasProgress: true };
  return await withRun(typed.input, typed.outer, async (run) => await openWithin(run, typed, to, read), kind);
}

async function openWithin(
  run: Run,
  typed: TypedCommand,
  to: WantedDestination,
  read: ReadQuestions,
): Promise<ExitCode> {
  const claimed = await claimOutput(run, to);
  const finished = await findFinished(claimed, to);
  const begun = finished?.now ?? claimed?.interrupted?.header.now;
  const options = { ...run.options, now: resumedClock(begun, run.options, typed.input.flags) };
  const questions = await read(options, run.sources);
  const opening = { run, typed, to, claimed, options, questions };
  checkColumnsOf(opening);
  remarkOnInput(opening);
  if (to.pattern !== undefined) {
    const { checkSplit } = await import("./split-pages.ts");
    const known = checkSplit(to.pattern, questions);
    const isOwn = claimed?.interrupted?.files !== undefined || finished !== undefined;
    if (!to.isForced && !isOwn) refuseTaken(known);
  }
  const done = finished && claimed && (await reportFinished(opening, claimed, finished));
  return done ?? (await openPull(opening));
}

async function claimOutput(
  { context, report, onClose }: Run,
  to: WantedDestination,
): Promise<Claimed | undefined> {
  if (to.file === undefined) return undefined;
  const { claimFile } = await import("../../../rows/pull/claim-file.ts");
  const claimed = await claimFile(context, { ...to, file: to.file }, report.remark);
  onClose(claimed.lock.release);
  return claimed;
}

function checkColumnsOf({ options, questions }: Opening): void {
  const { endpoint, groups } = questions;
  if (options.columns !== undefined) {
    const tables = new Map(groups.map((group) => [group, rowShape(endpoint, group)]));
    checkColumns(tables, options.columns);
  }
  checkPrefix(options, questions);
}

/** What is valid, but rarely meant. */
function remarkOnInput({ run: { report }, typed, questions }: Opening): void {
  // An empty cursor, probably an unset variable, would silently read the first page again.
  if (typed.input.typed.get("cursor")?.at(-1) === "")
    report.warn("--cursor is empty; starting at the first page");
  const point = pointInTime(questions);
  if (point !== undefined)
    report.note(`the range is a single point in time; for the entire day, use --day ${point.slice(0, 10)}`);
}

/** Two equal bounds, such as the same date, rarely mean what they say. */
function pointInTime({ asked: [args], endpoint }: Questions): string | undefined {
  const from = args?.get("from");
  if (from === undefined || from !== args?.get("to") || endpoint.rawPath !== undefined) return undefined;
  return formatInstant(fromWire(from));
}

async function openPull(opening: Opening): Promise<ExitCode> {
  const { run, options, questions, typed } = opening;
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
  const canResume = opening.claimed !== undefined && formats[options.format].canGrow;
  const seen = questions.walk.made?.seen ?? createSeenKeys(reachOf(questions.endpoint), canResume);
  const parquet = await openParquetOutput(opening, begun);
  const destination = await openRunOutput(opening, open, { seen, canResume, parquet });
  const pull: Pull = { context, options, questions, report, open, destination, seen, typed, parquet };
  begun.pull = pull;
  progress.begin(() => pullState(pull, run.sources.names), report.tell);
  return await runPull(pull, opening.to);
}
