import { isWaitTooLong } from "../../client/pace/retry-after.ts";
import type { Context } from "../../context/context.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { Failure, usageFailure } from "../../contract/failure.ts";
import { type Questions, readQuestions } from "../asking/questions.ts";
import type { Input } from "../command.ts";
import type { EndpointFlags } from "../endpoint/endpoint-flags.ts";
import { flagWords } from "../../run/flags/flag.ts";
import { counted, grouped } from "../../text/counted.ts";
import type { OpenClient } from "../../run/open-client.ts";
import { presentationOf } from "../endpoint/answer-questions.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { compareRounds, noChanges } from "./compare-rounds.ts";
import { askRound, type Round } from "./round.ts";
import { costSentence, type HourlyCost, hourlyCost } from "./watch-cost.ts";
import { formats } from "../../render/formats/formats.ts";
import type { WatchWishes } from "./watch-flags.ts";
import { openWatchLines } from "./watch-lines.ts";
import type { WatchView } from "./watch-view.ts";

/** A list or a record asked for again and again, until a signal or a failure that stays. */
export async function runWatch(
  group: readonly [Endpoint, ...Endpoint[]],
  input: Input<EndpointFlags>,
  interval: number,
  outer: Context,
): Promise<ExitCode> {
  const { words, flags, typed } = input;
  const wishes = { interval, typed: typed.get("watch")?.at(-1) ?? "" };
  return await withRun(
    flags,
    outer,
    async (run) => {
      const { context, options, report } = run;
      const nowOf = clockOf(context, flags.now !== undefined, options);
      const read = async (now: number): Promise<Questions> =>
        await readQuestions(group, input, { ...options, now }, run.sources);
      const questions = await read(nowOf());
      const open = await run.open({ speed: 1 });
      const cost = hourlyCost(wishes, questions, options, open.client.target.tier);
      if (!options.isQuiet) report.tell(costSentence(wishes, cost));
      const others = new Map([...typed].filter(([name]) => name !== "watch"));
      const line = ["dexdata", group[0].command, ...words, ...flagWords(others)].join(" ");
      const view = await openView({ run, wishes, questions, open, cost, line });
      run.onClose(view.close);
      return await watch({ run, wishes, open }, view, { read, nowOf });
    },
    { adjust: refuseClosed },
  );
}

/** How the questions of a round come about: one clock reading for each. */
interface Asking {
  readonly read: (now: number) => Promise<Questions>;
  readonly nowOf: () => number;
}

/** Ends only by what is thrown. */
async function watch(
  { run, wishes, open }: Pick<Watching, "run" | "wishes" | "open">,
  view: WatchView,
  { read, nowOf }: Asking,
): Promise<never> {
  const { context, options, report } = run;
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
      for (const note of round.notes.filter((each) => !said.has(each))) report.tell(note);
      for (const refusal of round.refused.filter((each) => !said.has(each))) report.warn(refusal);
      for (const each of [...round.notes, ...round.refused]) said.add(each);
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
function clockOf({ clock, env }: Context, isTyped: boolean, { now }: RunOptions): () => number {
  const isSet = isTyped || (env["DEXDATA_NOW"] ?? "") !== "";
  const started = clock.elapsed();
  return () => (isSet ? now + clock.elapsed() - started : clock.now());
}

function refuseClosed(options: RunOptions): RunOptions {
  if (!formats[options.format].isClosed) return options;
  throw usageFailure(
    `--output ${options.format}: --watch has no end that ${options.format} could be closed at`,
    "use ndjson",
  );
}

interface Watching {
  readonly run: Run;
  readonly wishes: WatchWishes;
  /** Of the first round; later ones have other instants. */
  readonly questions: Questions;
  readonly open: OpenClient;
  readonly cost: HourlyCost;
  /** The command without its `--watch`. */
  readonly line: string;
}

async function openView({ run, wishes, questions, open, cost, line }: Watching): Promise<WatchView> {
  const { context, stderr, options, report } = run;
  const { stdout, env } = context;
  const presentation = { ...presentationOf(context, options, questions), isContinued: false };
  const isScreen = stdout.isTerminal && options.format === "table" && env["TERM"] !== "dumb";
  if (!isScreen && options.picture === "chart")
    throw usageFailure(
      "--chart and --watch: a chart is drawn anew in its place, which takes a terminal",
      "leave out one of them",
    );
  if (!isScreen) return await openWatchLines(context, report, { ...presentation, output: stdout });
  // What was said before belongs above the picture.
  await report.settled();
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
