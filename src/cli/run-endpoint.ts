import type { Context } from "../context/context.ts";
import { type Endpoint, rowShape } from "../contract/endpoint.ts";
import type { ExitCode } from "../contract/exit-codes.ts";
import { usageFailure } from "../contract/failure.ts";
import { checkColumns } from "../render/table/choose-columns.ts";
import { reachOf } from "../client/pages/distinct-pages.ts";
import { createSeenKeys } from "../client/pages/seen-keys.ts";
import { answerQuestions, type Run } from "./answer-questions.ts";
import { bounded } from "./deadline.ts";
import type { Claimed } from "./output/claim-file.ts";
import { type Destination, openStdout } from "./output/destination.ts";
import type { FinishedPull } from "./output/finished-pull.ts";
import { type DestinationFlags, readDestination } from "./flags/destination-flags.ts";
import type { FlagValues } from "./flags/flags.ts";
import { readFollowWishes } from "./follow/follow-flags.ts";
import { whyCutShort } from "./output/going-on.ts";
import { createNotices, type Notices } from "./notices.ts";
import { openClient, type OpenClient } from "./open-client.ts";
import { createProgress, type Progress } from "./progress/progress.ts";
import { pullState } from "./progress/pull-state.ts";
import { checkSameQuery, queryDigest, queryOf } from "./output/pull-query.ts";
import { type Questions, readQuestions } from "./asking/questions.ts";
import { restOf, restText } from "./output/rest.ts";
import { readRunOptions, type RunOptions } from "./run-options.ts";
import { createListSources, type ListSources } from "./asking/list-sources.ts";
import { readWatchWishes } from "./watch/watch-flags.ts";

/** One command of the service, from its words and flags to its rows. */
export async function runEndpoint(
  group: readonly Endpoint[],
  words: readonly string[],
  flags: FlagValues,
  outer: Context,
): Promise<ExitCode> {
  const wishes = readFollowWishes(flags);
  if (wishes !== undefined)
    return await (await import("./follow/follow.ts")).runFollow(group, words, flags, wishes, outer);
  const watching = readWatchWishes(flags);
  if (watching !== undefined)
    return await (await import("./watch/watch.ts")).runWatch(group, words, flags, watching, outer);
  const command = [...(group[0]?.command.split(" ") ?? []), ...words];
  return await runQuestions(
    { command, flags, outer },
    async (options, sources) => await readQuestions(group, words, flags, options, sources),
  );
}

export interface Typed {
  /** Words of the command, without flags. */
  readonly command: readonly string[];
  readonly flags: FlagValues;
  readonly outer: Context;
}

/** What the typed words ask; everything in them is checked before it resolves. */
export type ReadQuestions = (options: RunOptions, sources: ListSources) => Promise<Questions>;

/** Reads the questions, asks them, and says what it was. */
export async function runQuestions(typed: Typed, read: ReadQuestions): Promise<ExitCode> {
  const to = readDestination(typed.flags);
  // What goes into a file is written as for a pipe.
  const stdout =
    to.file === undefined ? typed.outer.stdout : { ...notATerminal, write: typed.outer.stdout.write };
  const asTyped = readRunOptions(typed.flags, { ...typed.outer, stdout });
  if (to.isResumed && asTyped.format === "table") {
    throw usageFailure(
      "--resume and --output table: a table cannot be gone on with, its columns fit its first rows",
      "use ndjson, csv, tsv or json",
    );
  }
  const progress = createProgress(typed.outer, typed.flags, asTyped);
  // Its timer keeps the process alive, so everything that may fail after it is in the block that releases it.
  const { context, release } = bounded({ ...typed.outer, ...progress.outputs }, asTyped.deadline);
  const notices = createNotices(context, asTyped, progress.countdown);
  let claimed: Claimed | undefined;
  try {
    if (to.file !== undefined) {
      const { claimFile } = await import("./output/claim-file.ts");
      claimed = await claimFile(context, { ...to, file: to.file }, notices);
    }
    const finished = await findFinished(claimed, to);
    const begun = finished?.now ?? claimed?.interrupted?.header.now;
    const options = { ...asTyped, now: beginningOf(begun, asTyped, typed.flags) };
    const questions = await read(options, createListSources(context, notices.warn));
    // A script whose variable is not set would otherwise read the first page again without a sign of it.
    if (typed.flags["cursor"] === "") notices.warn("--cursor is empty; starting at the first page");
    if (options.columns !== undefined) {
      const { endpoint, groups } = questions;
      const tables = new Map(groups.map((group) => [group, rowShape(endpoint, group)]));
      checkColumns(tables, options.columns);
    }
    const asking = { typed, to, claimed, context, options, questions, notices, progress };
    if (finished !== undefined && claimed !== undefined)
      return await reportFinished(asking, claimed, finished);
    return await ask(asking);
  } finally {
    claimed?.lock.release();
    release();
    await progress.close();
    await notices.settled();
  }
}

/** The earlier pull that --resume without a checkpoint refers to, by its receipt. */
async function findFinished(
  claimed: Claimed | undefined,
  { isResumed, receipt }: DestinationFlags,
): Promise<FinishedPull | undefined> {
  if (!isResumed || claimed?.isUnproven !== true) return undefined;
  const { noCheckpoint, readFinishedPull } = await import("./output/finished-pull.ts");
  const finished = receipt === undefined ? undefined : readFinishedPull(receipt);
  if (finished === undefined) throw noCheckpoint(claimed.file);
  return finished;
}

/** Nothing is left to pull, if the receipt is that of the same query and of the file as it is. */
async function reportFinished(
  { to, questions, options, context, notices }: Asking,
  { file }: Claimed,
  finished: FinishedPull,
): Promise<ExitCode> {
  const { completeLine, noCheckpoint } = await import("./output/finished-pull.ts");
  if (queryDigest(queryOf(questions, options)) !== finished.query)
    throw noCheckpoint(file, `, and ${to.receipt} is of another query`);
  const line = await completeLine(file, finished, context.signal);
  if (line === undefined) throw noCheckpoint(file, `, and it is not the file that ${to.receipt} describes`);
  notices.warn(line);
  return 0;
}

/** A pull that goes on asks for the window it began with; milliseconds. */
function beginningOf(begun: number | undefined, { now }: RunOptions, flags: FlagValues): number {
  if (begun !== undefined && flags["now"] !== undefined && begun !== now) {
    throw usageFailure(
      `--now "${String(flags["now"])}": the pull was begun at ${new Date(begun).toISOString()}`,
      "leave it out to go on, or begin anew with --force instead of --resume",
    );
  }
  return begun ?? now;
}

const notATerminal = { isTerminal: false, columns: undefined };

interface Asking {
  readonly typed: Typed;
  readonly to: DestinationFlags;
  readonly claimed: Claimed | undefined;
  readonly context: Context;
  readonly options: RunOptions;
  readonly questions: Questions;
  readonly notices: Notices;
  readonly progress: Progress;
}

async function ask(asking: Asking): Promise<ExitCode> {
  const { context, options, questions, notices, typed, progress } = asking;
  const open = await openClient(context, options, notices);
  let run: Run | undefined;
  try {
    if (typed.flags["estimate"] === true) {
      const { runEstimate } = await import("./spending/run-estimate.ts");
      return await runEstimate(context, typed.flags, options, questions, open.client);
    }
    // The columns of a table fit its first rows, so no later run can add to it.
    const canResume = asking.claimed !== undefined && options.format !== "table";
    const seen = createSeenKeys(reachOf(questions.endpoint), canResume);
    const destination = await openFor(asking, open, { seen, canResume });
    const begun: Run = { context, options, questions, notices, open, destination, seen, typed };
    run = begun;
    progress.begin(() => pullState(begun), notices.warn);
    return await answerInto(begun, asking.to);
  } finally {
    await progress.close();
    await open.close();
    sayWhatItWas(open, notices, run === undefined ? undefined : restText(restOf(run)));
  }
}

async function openFor(
  { to, claimed, context, options, questions, notices }: Asking,
  { client: { target } }: OpenClient,
  resuming: { readonly seen: Run["seen"]; readonly canResume: boolean },
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
    notices.warn(`dexdata: the pull was begun under the ${begun.tier} plan and goes on under ${target.tier}`);
  const { openFile } = await import("./output/file-destination.ts");
  return await openFile(context, { claimed, to, header, inputs: questions.asked.length, ...resuming });
}

/** However it ends, the file and the receipt say so. */
async function answerInto(run: Run, to: DestinationFlags): Promise<ExitCode> {
  const started = run.context.clock.now();
  const receive = async (exit: number, failure?: unknown): Promise<void> => {
    if (to.receipt === undefined) return;
    const { writeReceipt } = await import("./output/receipt.ts");
    writeReceipt(to, run, { started, exit, failure });
  };
  const receiveFailure = async (failure: unknown): Promise<void> => {
    // What ended the pull matters more than a receipt that cannot be written.
    await receive(1, failure).catch((problem: unknown) => {
      run.notices.warn(`dexdata: ${problem instanceof Error ? problem.message : String(problem)}`);
    });
  };
  const exit = await answerQuestions(run).catch(async (cause: unknown) => {
    await run.destination.abandon();
    const failure = whyCutShort(cause, run, to);
    await receiveFailure(failure);
    throw failure;
  });
  await run.destination.finish().catch(async (cause: unknown) => {
    const failure = whyCutShort(cause, run, to);
    await receiveFailure(failure);
    throw failure;
  });
  await receive(exit);
  run.destination.forget();
  return exit;
}

/** After the rows: whose they were, what they cost, and where their list goes on. */
export function sayWhatItWas(open: OpenClient, notices: Notices, rest?: string): void {
  const { meter, target } = open.client;
  if (target.isSimulated) notices.remark("simulated data: the sandbox's made-up market, not the real one");
  warnOfPlan(open, notices);
  notices.close(meter, rest);
}

/** A key that the service does not count under its plan is a silent loss: it is said whoever listens. */
function warnOfPlan({ client }: OpenClient, notices: Notices): void {
  const { plan } = client.meter;
  const { tier, key } = client.target;
  if (plan === undefined || plan === tier) return;
  const why = key !== undefined && plan === "keyless" ? ": the key was not counted" : "";
  notices.warn(`dexdata: the service counted this as ${plan}, not ${tier}${why}; see: dexdata auth status`);
}
