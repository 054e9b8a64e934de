import type { Exchange } from "../../../client/client.ts";
import { createAgeNote, createRoundFreshness } from "../../../client/response/answer-age.ts";
import { isWaitTooLong } from "../../../client/response/retry-after.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { Failure, usageFailure } from "../../../base/failure.ts";
import { plans, type Tier } from "../../../api/tier.ts";
import { estimate } from "../../../rows/pull/estimate.ts";
import { formats } from "../../render/formats/formats.ts";
import { checkPrefix } from "../../render/formats/row-prefix.ts";
import { costOverTime, creditsLast } from "../../run/spending/cost-over-time.ts";
import { writeHourlyEstimate } from "../../run/output/write-estimate.ts";
import { flagWords } from "../../run/flags/flag.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { counted, grouped } from "../../../base/text/counted.ts";
import type { EndpointGroup } from "../input/positionals.ts";
import { type Questions, readQuestions } from "../input/questions.ts";
import type { Input } from "../command.ts";
import type { EndpointFlags } from "../flags/endpoint-flags.ts";
import { presentationOf } from "../pull/fetch-and-print.ts";
import { createTableAssets, type TableAssets } from "../pull/table-assets.ts";
import { compareRounds, fetchRound, type Round } from "./rounds.ts";
import { openWatchLines, openWatchScreen, type WatchView } from "./watch-view.ts";

/** Repeats the requests until a signal arrives or a failure is permanent. */
export async function runWatch(
  group: EndpointGroup,
  input: Input<EndpointFlags>,
  interval: number,
  outer: Context,
): Promise<ExitCode> {
  const work = async (run: Run): Promise<ExitCode> => await watch(run, group, input, interval);
  return await withRun(input, outer, work, { adjust: refuseClosed, outlastsOutages: true });
}

async function watch(
  run: Run,
  group: EndpointGroup,
  input: Input<EndpointFlags>,
  interval: number,
): Promise<ExitCode> {
  const { context, options, report, sources } = run;
  const { clock, signal } = context;
  const { words, typed } = input;
  const every = typed.get("watch")?.at(-1) ?? "";
  const nowOf = clockOf(context, options);
  const read = async (now: number): Promise<Questions> =>
    await readQuestions(group, input, { ...options, now }, sources);
  const first = await read(nowOf());
  checkPrefix(options, first);
  const freshness = createRoundFreshness(clock);
  const noteAge = createAgeNote(report.note);
  const answered = ({ url, age }: Exchange): void => {
    freshness.record(url, age);
    noteAge(age);
  };
  const { client } = await run.open({ speed: 1, observer: { answered } });
  const { meter, target } = client;
  const cost = hourlyCost({ interval, every }, first, options, target.tier);
  const { credits } = cost;
  if (input.flags.estimate === true)
    return await writeHourlyEstimate(run, input.flags, first.endpoint, target, cost);
  if (!options.isQuiet) report.tell(`watching every ${every}: up to ${costOverTime(credits)}`);
  const others = new Map([...typed].filter(([name]) => name !== "watch"));
  const command = ["dexdata", group[0].command, ...words, ...flagWords(others)].join(" ");
  const assets = createTableAssets(context, client, options, first);
  run.onClose(assets.save);
  const view = await openView(run, first, assets, `every ${every}: ${command}`, () => [
    counted(meter.credits, "credit"),
    `${grouped(String(credits))}/hour`,
    ...(target.isSimulated ? ["simulated data"] : []),
  ]);
  const said = new Set<string>();
  let [written, refreshed] = [0, clock.elapsed()];
  run.metrics?.shows({ rows: () => written, oldest: () => refreshed });
  let last: Round | undefined;
  for (let due = clock.elapsed(); ;) {
    // Each round resolves all relative times with the same clock reading.
    const now = nowOf();
    const questions = await read(now);
    freshness.begin();
    const round = await fetchRound(context, client, questions, { ...options, ...assets }).catch(
      (cause: unknown) => {
        if (signal.aborted || !isTransient(cause)) throw cause;
        view.failed(cause.message);
        return undefined;
      },
    );
    if (round !== undefined) {
      const question = { endpoint: questions.endpoint, args: round.asked[0] ?? new Map<string, string>() };
      for (const rows of round.groups) await assets.learnFor(question, rows);
      await view.show(round, compareRounds(questions.endpoint, options.fields, last, round), now);
      const lasting = last === undefined ? creditsLast(meter.creditsLeft, credits) : undefined;
      if (lasting !== undefined) report.note(lasting);
      for (const note of round.notes) if (!said.has(note)) report.tell(note);
      for (const refusal of round.refused) if (!said.has(refusal)) report.fault(refusal);
      for (const each of [...round.notes, ...round.refused]) said.add(each);
      last = round;
      refreshed = clock.elapsed();
      written += round.groups.reduce((sum, each) => sum + each.rows.length, 0);
    }
    // Skips rounds that were missed because another round took longer than the interval, or that cannot differ.
    const passed = Math.floor((clock.elapsed() - due) / interval);
    due += Math.max(passed + 1, Math.ceil((freshness.differsAt() - due) / interval)) * interval;
    view.waiting?.(due);
    await clock.sleep(due - clock.elapsed(), signal);
  }
}

/** Rate limits, service errors and network errors may be temporary even after all retries. */
function isTransient(cause: unknown): cause is Failure {
  if (!(cause instanceof Failure) || isWaitTooLong(cause)) return false;
  return cause.exit === 6 || cause.exit === 7 || cause.code === "incomplete";
}

/** If `--now` is set, it is the time of the first round, and time advances from there. */
function clockOf({ clock }: Context, { now, nowSource }: RunOptions): () => number {
  const started = clock.elapsed();
  return () => (nowSource !== undefined ? now + clock.elapsed() - started : clock.now());
}

function refuseClosed(options: RunOptions): RunOptions {
  if (!formats[options.format].isClosed) return options;
  throw usageFailure(
    `--output ${options.format} cannot be used with --watch: ${options.format} output is complete only when the run ends`,
    "use ndjson",
  );
}

/** Two rounds are in memory at the same time, because they are compared. */
const maxRows = 10_000;
const hour = 3_600_000;

/** Returns the cost per hour. Rejects rounds that do not fit into memory or that exceed the rate limit. */
function hourlyCost(
  { interval, every }: { readonly interval: number; readonly every: string },
  questions: Questions,
  { rpm }: RunOptions,
  tier: Tier,
): { readonly requests: number; readonly credits: number } {
  const { requests, rows, credits, creditsAtMost = credits } = estimate(questions, undefined);
  if (requests === undefined || creditsAtMost === undefined || (rows ?? 0) > maxRows)
    throw usageFailure(
      `--watch "${every}": each refresh is limited to ${counted(maxRows, "row")}`,
      "request fewer rows",
    );
  const perMinute = rpm.value ?? plans[tier].requestsPerMinute;
  if (typeof perMinute === "number" && (requests * 60_000) / interval > perMinute) {
    const shortest = Math.ceil((requests * 60) / perMinute);
    throw usageFailure(
      `--watch "${every}": each refresh takes ${counted(requests, "request")}, but the rate limit is ${perMinute} requests/min`,
      `send fewer requests per refresh, or refresh less often: --watch ${shortest}s`,
    );
  }
  const rounds = hour / interval;
  return { requests: Math.ceil(requests * rounds), credits: Math.ceil(creditsAtMost * rounds) };
}

async function openView(
  run: Run,
  questions: Questions,
  { find: findAsset }: TableAssets,
  title: string,
  facts: () => readonly string[],
): Promise<WatchView> {
  const { context, options, report } = run;
  const { stdout, env, clock } = context;
  const presentation = { ...presentationOf(context, options, questions), isContinued: false, findAsset };
  if (stdout.isTerminal && options.format === "table" && env["TERM"] !== "dumb")
    return await openWatchScreen(run, presentation, title, facts);
  if (options.picture === "chart")
    throw usageFailure("--chart and --watch can be used together only on a terminal", "remove one of them");
  return await openWatchLines(report, { ...presentation, output: stdout, now: clock.now() });
}
