import { isWaitTooLong } from "../../client/pace/retry-after.ts";
import type { Context } from "../../context/context.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { Failure, usageFailure } from "../../contract/failure.ts";
import { createListSources } from "../asking/list-sources.ts";
import { type Questions, readQuestions } from "../asking/questions.ts";
import { bounded } from "../deadline.ts";
import { type FlagValues, flagWords } from "../flags/flags.ts";
import { counted, grouped } from "../../text/counted.ts";
import { createNotices, type Notices } from "../notices.ts";
import { openClient, type OpenClient } from "../open-client.ts";
import { createHeldOutput, type HeldOutput } from "../output/held-output.ts";
import { presentationOf } from "../output/presentation.ts";
import { sayWhatItWas } from "../run-endpoint.ts";
import { readRunOptions, type RunOptions } from "../run-options.ts";
import { compareRounds, noChanges } from "./compare-rounds.ts";
import { askRound, type Round } from "./round.ts";
import { costSentence, type HourlyCost, hourlyCost } from "./watch-cost.ts";
import type { WatchWishes } from "./watch-flags.ts";
import { openWatchLines } from "./watch-lines.ts";
import type { WatchView } from "./watch-view.ts";

/** A list or a record asked for again and again, until a signal or a failure that stays. */
export async function runWatch(
  group: readonly Endpoint[],
  words: readonly string[],
  flags: FlagValues,
  wishes: WatchWishes,
  outer: Context,
): Promise<ExitCode> {
  const options = readRunOptions(flags, outer);
  if (options.format === "json")
    throw usageFailure("--output json: --watch has no end that json could be closed at", "use ndjson");
  const { context: timed, release } = bounded(outer, options.deadline);
  const stderr = createHeldOutput(timed.stderr);
  const context = { ...timed, stderr };
  const notices = createNotices(context, options);
  const sources = createListSources(context, notices.warn);
  const nowOf = clockOf(context, flags, options);
  const read = async (now: number): Promise<Questions> =>
    await readQuestions(group, words, flags, { ...options, now }, sources);
  try {
    const questions = await read(nowOf());
    const open = await openClient(context, options, notices, 1);
    try {
      const cost = hourlyCost(wishes, questions, options, open.client.target.tier);
      if (!options.isQuiet) notices.warn(costSentence(wishes, cost));
      const line = ["dexdata", ...(group[0]?.command.split(" ") ?? []), ...words, ...typedFlags(flags)];
      const watching: Watching = { context, stderr, options, wishes, questions, open, notices, cost };
      const view = await openView(watching, line.join(" "));
      try {
        return await watch(watching, view, { read, nowOf });
      } finally {
        await view.close();
      }
    } finally {
      await open.close();
      sayWhatItWas(open, notices);
    }
  } finally {
    release();
    await notices.settled();
  }
}

interface Watching {
  readonly context: Context;
  readonly stderr: HeldOutput;
  readonly options: RunOptions;
  readonly wishes: WatchWishes;
  /** Of the first round; later ones have other instants. */
  readonly questions: Questions;
  readonly open: OpenClient;
  readonly notices: Notices;
  readonly cost: HourlyCost;
}

/** How the questions of a round come about: one clock reading for each. */
interface Asking {
  readonly read: (now: number) => Promise<Questions>;
  readonly nowOf: () => number;
}

/** Ends only by what is thrown. */
async function watch(
  { context, options, wishes, open, notices }: Watching,
  view: WatchView,
  { read, nowOf }: Asking,
): Promise<never> {
  const { clock, signal } = context;
  const said = new Set<string>();
  let last: Round | undefined;
  for (let due = clock.elapsed(); ;) {
    const at = nowOf();
    const questions = await read(at);
    const round = await askRound(context, open.client, questions, options.isValidated).catch(
      (cause: unknown) => {
        if (signal.aborted || !mayPass(cause)) throw cause;
        view.failed(cause.message);
        return undefined;
      },
    );
    if (round !== undefined) {
      const changes =
        last === undefined
          ? noChanges(round)
          : compareRounds(questions.endpoint, options.fields, last, round);
      await view.show(round, changes, at);
      for (const note of round.notes.filter((each) => !said.has(each))) notices.warn(note);
      for (const note of round.notes) said.add(note);
      last = round;
    }
    // A round that took longer than the interval leaves out those it passed.
    const passed = Math.floor((clock.elapsed() - due) / wishes.interval);
    due += (passed + 1) * wishes.interval;
    view.waiting(due);
    await clock.sleep(due - clock.elapsed(), signal);
  }
}

/** After all retries: rate, service and network are not for ever as they are now. */
function mayPass(cause: unknown): cause is Failure {
  if (!(cause instanceof Failure) || isWaitTooLong(cause)) return false;
  return cause.exit === 6 || cause.exit === 7 || cause.code === "incomplete";
}

/** `--now` sets where the time of the rounds begins; it passes all the same. */
function clockOf({ clock, env }: Context, flags: FlagValues, { now }: RunOptions): () => number {
  const isSet = flags["now"] !== undefined || (env["DEXDATA_NOW"] ?? "") !== "";
  const started = clock.elapsed();
  return () => (isSet ? now + clock.elapsed() - started : clock.now());
}

function typedFlags(flags: FlagValues): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    value === undefined || name === "watch" ? [] : flagWords(name, value),
  );
}

async function openView(watching: Watching, line: string): Promise<WatchView> {
  const { context, stderr, options, wishes, questions, open, notices, cost } = watching;
  const { stdout, env } = context;
  const presentation = { ...presentationOf(context, options, questions), isContinued: false };
  const isScreen = stdout.isTerminal && options.format === "table" && env["TERM"] !== "dumb";
  if (!isScreen && options.picture === "chart")
    throw usageFailure(
      "--chart and --watch: a chart is drawn anew in its place, which takes a terminal",
      "leave out one of them",
    );
  if (!isScreen) return await openWatchLines(context, notices, { ...presentation, output: stdout });
  // What was said before belongs above the picture.
  await notices.settled();
  const { openWatchScreen } = await import("./watch-screen.ts");
  const { meter, target } = open.client;
  return await openWatchScreen(context, {
    presentation,
    title: `every ${wishes.typed}: ${line}`,
    facts: () => [
      counted(meter.credits, "credit"),
      `${grouped(String(cost.credits))} an hour`,
      ...(target.isSimulated ? ["simulated data"] : []),
    ],
    stderr,
  });
}
