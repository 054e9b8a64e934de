import { fieldPaths, rowShape } from "../../../api/endpoint.ts";
import { checkBlind, readWanted } from "../../run/alerts/open-alerts.ts";
import { createJudge } from "../../../client/follow.ts";
import { createEnding, StopReason } from "../../../client/ending.ts";
import { reportInput } from "../../run/failure-text.ts";
import { createAgeNote, createRoundFreshness } from "../../../client/freshness.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { fail, Failure, usageFailure } from "../../../base/failure.ts";
import { parseTimeBound, showSeconds } from "../../../base/time/time.ts";
import { readsUnicode } from "../../render/terminal.ts";
import { refuseClosed } from "../../render/formats/formats.ts";
import { watchFields } from "../../render/formats/missing-fields.ts";
import { costOverTime, creditsLast, writeHourlyEstimate } from "../../run/spending/estimate.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { counted, grouped } from "../../../base/text/words.ts";
import { checkShown, type PullPlan, readPlan } from "../input/pull-plan.ts";
import type { EndpointGroup, Input } from "../command.ts";
import type { EndpointFlags } from "../flags/endpoint-flags.ts";
import { sameCommand } from "../pull/continuation.ts";
import { createTableAssets } from "../pull/known-assets.ts";
import { compareRounds, fetchRound, hourlyCost, keepingLast, openWatchAlerts, type Round } from "./rounds.ts";
import { openView } from "./watch-view.ts";
import { isWaitTooLong } from "../../../client/retry.ts";
import { runningClock } from "../../run/run-options.ts";

/** Repeats the requests until a signal arrives or a failure is permanent. */
export async function runWatch(
  group: EndpointGroup,
  input: Input<EndpointFlags>,
  interval: number,
  outer: Context,
): Promise<ExitCode> {
  const work = async (run: Run): Promise<ExitCode> => {
    const session = await openSession(run, group, input, interval);
    if (session === undefined) return 0;
    try {
      return await readRounds(session);
    } catch (cause) {
      const exit = session.alerts?.exitAfter(cause);
      if (exit === undefined && !(cause instanceof StopReason)) throw cause;
      const unread = exit !== 0 && cause instanceof StopReason ? unreadAtEnd(session) : undefined;
      if (unread !== undefined) throw unread;
      return exit ?? 0;
    }
  };
  return await withRun(input, outer, work, {
    adjust: (options) => (input.flags.estimate === true ? options : refuseClosed(options, "--watch")),
    outlastsOutages: true,
  });
}

type Session = NonNullable<Awaited<ReturnType<typeof openSession>>>;

/** Undefined if only the cost was asked for. */
async function openSession(outer: Run, group: EndpointGroup, input: Input<EndpointFlags>, interval: number) {
  const { options, report, sources } = outer;
  const { clock } = outer.context;
  const { words, typed, flags } = input;
  const every = typed.get("watch")?.at(-1) ?? "";
  const started = clock.elapsed();
  const nowOf = runningClock(options, clock);
  const read = async (now: number): Promise<PullPlan> =>
    await readPlan(group, input, { ...options, now }, sources);
  const first = await read(nowOf());
  refusePast(first, typed, options.now);
  checkBlind(flags.blind, interval);
  const shapes = first.groups.map((each) => rowShape(first.endpoint, each));
  const wanted = readWanted(typed, shapes.flatMap(fieldPaths));
  checkShown(options, first);
  const ending = createEnding(clock, outer.context.signal, flags.for);
  outer.onClose(ending.release);
  const context = { ...outer.context, signal: ending.signal };
  const run = { ...outer, context };
  const freshness = createRoundFreshness(clock);
  const noteAge = createAgeNote(report.info);
  const { client } = await run.open({
    context,
    speed: 1,
    observer: {
      answered: (exchange) => {
        freshness.record(exchange);
        noteAge(exchange.age);
      },
    },
  });
  const { meter, target } = client;
  const costOf = (plan: PullPlan) => hourlyCost({ interval, every }, plan, options, target.tier);
  if (flags.estimate === true) {
    await writeHourlyEstimate(run, flags, first.endpoint, target, costOf(first));
    return undefined;
  }
  /** The first cost is always printed. */
  let credits = Number.NaN;
  const take = (plan: PullPlan): void => {
    const cost = costOf(plan);
    if (cost.credits !== credits && !options.isQuiet)
      report.print(
        `watching every ${every}: ${cost.isAbout ? "about" : "up to"} ${costOverTime(cost.credits)}`,
      );
    ({ credits } = cost);
  };
  take(first);
  const isListed = words.some((word) => word.startsWith("@"));
  const readAgain = isListed ? keepingLast(run, first, read, take) : read;
  const others = new Map([...typed].filter(([name]) => name !== "watch" && name !== "--"));
  const command = sameCommand([...group[0].command.split(" "), ...words], others);
  const assets = createTableAssets(run, client, first);
  run.onClose(assets.save);
  // Alerts see only signals, because --for waits for their commands.
  const alerts = wanted && (await openWatchAlerts(outer, wanted, flags, first, assets.find));
  const view = await openView(run, first, {
    title: `every ${every}: ${command}`,
    facts: () => [
      ...(alerts === undefined ? [] : [alerts.state(readsUnicode(context.env))]),
      counted(meter.credits, "credit"),
      `${grouped(String(Math.ceil(credits)))}/hour`,
      ...(target.isSimulated ? ["simulated data"] : []),
    ],
    findAsset: assets.find,
    isOn: alerts?.isOn,
    isSilent: wanted?.command.length === 0,
  });
  const progress: Progress = { ...noRefreshYet, due: started, startedAt: clock.now() };
  const source = { run, client, readAgain, nowOf, interval, freshness, assets };
  const missing = watchFields(options.fields, shapes);
  return { ...source, missing, alerts, view, credits: () => credits, progress };
}

interface Progress {
  /** When the current refresh was due, or the next one is, in milliseconds of the monotonic clock. */
  due: number;
  /** Consecutive failed refreshes, and why the last of them failed. */
  failures: number;
  reason: string | undefined;
  /** When the last refresh succeeded, in milliseconds since the epoch; undefined before the first one. */
  succeededAt: number | undefined;
  readonly startedAt: number;
}

const noRefreshYet = { failures: 0, reason: undefined, succeededAt: undefined };

/** A watch that `--for` ends while its refreshes fail must not look like one that saw no changes. */
function unreadAtEnd({ run: { context }, interval, progress }: Session): Failure | undefined {
  const { due, failures, reason, succeededAt, startedAt } = progress;
  const isOverdue = context.clock.elapsed() - due >= interval;
  if (succeededAt !== undefined && failures === 0 && !isOverdue) return undefined;
  const [from, to] = [succeededAt ?? startedAt, context.clock.now()].map((at) =>
    showSeconds(Math.floor(at / 1000)),
  );
  const why = reason === undefined ? "" : `: ${reason}`;
  return fail("not_read", `no refresh succeeded from ${from} to ${to}; changes may be missing${why}`, {
    next: "check the connection: dexdata doctor",
  });
}

/** Past rows do not change, so each refresh would cost credits for nothing. */
function refusePast({ days }: PullPlan, typed: Input<EndpointFlags>["typed"], now: number): void {
  // A time such as -1h moves with the clock.
  const [end, laterEnd] = [now, now + 1000].map((at) => {
    const to = parseTimeBound(typed.get("to")?.at(-1) ?? "now", at);
    return days?.to ?? ("problem" in to ? Number.NaN : to.seconds);
  });
  if (end === undefined || end !== laterEnd || end > now / 1000) return;
  const flag = days === undefined ? "to" : "day";
  const problem = `--${flag} "${typed.get(flag)?.at(-1)}" cannot be used with --watch`;
  throw usageFailure(`${problem}: past rows do not change`, "remove --watch");
}

const olderCopy = "ignored a cached response that is older than the one before";

/** Throws the reason of the end. */
async function readRounds(session: Session): Promise<never> {
  const { run, client, readAgain, nowOf, interval, freshness, assets, missing } = session;
  const { alerts, view, credits, progress } = session;
  const { context, options, report, metrics } = run;
  const { clock, signal } = context;
  const { meter, target } = client;
  const said = new Set<string>();
  const sayOnce = (text: string, say: (text: string) => void): void => {
    if (!said.has(text)) say(text);
    said.add(text);
  };
  let [written, refreshed] = [0, clock.elapsed()];
  metrics?.shows({
    rows_total: () => alerts?.written() ?? written,
    oldest_asset_age_seconds: () => (clock.elapsed() - refreshed) / 1000,
  });
  let last: Round | undefined;
  const isOver = createEndJudge();
  for (;;) {
    // Each round resolves all relative times with the same clock reading.
    const now = nowOf();
    const plan = await readAgain(now);
    assets.name(plan.named);
    alerts?.plan(plan);
    freshness.begin();
    const round = await fetchRound(session, plan).catch((cause: unknown) => {
      if (signal.aborted) throw signal.reason;
      progress.failures += 1;
      if (!(cause instanceof Failure) || isOver(cause, progress.failures, last === undefined)) throw cause;
      progress.reason = cause.message;
      view.failed(cause.message);
      return undefined;
    });
    if (round !== undefined) {
      const readTo = freshness.readTo();
      // A cache can return an older copy, whose values would change back and cross a limit once more.
      const isOlder = last !== undefined && readTo < refreshed && !freshness.isBound();
      refreshed = last === undefined ? readTo : Math.max(refreshed, readTo);
      if (isOlder) sayOnce(olderCopy, report.info);
      else {
        await alerts?.see(round, now, refreshed);
        const changes = compareRounds(plan.endpoint, options.fields, last, round);
        await view.show(round, changes, now);
        const lasting =
          last === undefined ? creditsLast(meter.creditsLeft, credits(), target.tier) : undefined;
        if (lasting !== undefined) report.info(lasting);
        for (const { rows } of round.groups) missing.see({ rows, as: "rows" });
        for (const line of [...assets.warnings(), ...missing.remarks()]) sayOnce(line, report.warn);
        for (const note of round.notes) sayOnce(note, report.print);
        for (const failure of round.failures) sayOnce(failure.message, () => reportInput(run, failure, true));
        last = round;
        written += changes.rows.reduce((sum, each) => sum + each.rows.length, 0);
      }
      if (progress.failures > 1)
        report.info(`refreshed again after ${counted(progress.failures, "failed attempt")}`);
      [progress.failures, progress.reason, progress.succeededAt] = [0, undefined, clock.now()];
    }
    // Skips rounds that were missed because another round took longer than the interval, or that cannot differ.
    const passed = Math.floor((clock.elapsed() - progress.due) / interval);
    progress.due +=
      Math.max(passed + 1, Math.ceil((freshness.differsAt() - progress.due) / interval)) * interval;
    view.waiting(progress.due);
    await clock.sleep(progress.due - clock.elapsed(), signal);
  }
}

/** Most errors may be temporary, even after all retries. At the first refresh, invalid data may come from the wrong host. */
function createEndJudge() {
  const isFinal = createJudge();
  return (cause: Failure, failures: number, isFirst: boolean): boolean => {
    if (isWaitTooLong(cause) || (isFirst && cause.exit === 1)) return true;
    return cause.code !== "incomplete" && isFinal(cause, failures, !isFirst);
  };
}
