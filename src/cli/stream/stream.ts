import { type Context, isInterruption } from "../../model/context.ts";
import { type ExitCode, Failure } from "../../model/failure.ts";
import { defaultSilence } from "../../tail/shard.ts";
import { capOf, nameOf, planShards, type Room, roomFor } from "../../tail/shards.ts";
import { createTail, type Tail } from "../../tail/tail.ts";
import { budgetOf } from "../spending/budget.ts";
import { openEventLog } from "../output/event-log.ts";
import type { FlagValues } from "../flags/flags.ts";
import { createHeldOutput } from "../output/held-output.ts";
import { counted, createNotices, type Notices } from "../notices.ts";
import { openClient, type OpenClient } from "../open-client.ts";
import { readRunOptions, type RunOptions } from "../run-options.ts";
import type { StreamDisplay } from "./stream-display.ts";
import { type StreamOptions, readStreamOptions } from "./stream-options.ts";
import { openOutput, type OutputWishes } from "./stream-output.ts";
import { createStreamReport, type StreamReport } from "./stream-report.ts";
import { createStops, Stop, type Stops } from "./stream-stops.ts";
import { namesFile, subjectReader } from "./stream-subjects.ts";
import { type ConnectionTally, createTally } from "./stream-tally.ts";

/** What came of one stream, for the line at the end. */
interface Session {
  readonly context: Context;
  readonly options: RunOptions;
  readonly wishes: StreamOptions;
  readonly open: OpenClient;
  readonly stops: Stops;
  readonly report: StreamReport;
  readonly display: StreamDisplay;
  readonly notices: Notices;
}

/** Events of any number of assets, one line each, until a stop that was asked for is met. */
export async function stream(
  words: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  const options = readRunOptions(flags, context);
  const wishes = readStreamOptions(flags, options.now);
  const stderr = createHeldOutput(context.stderr);
  const notices = createNotices({ ...context, stderr }, options);
  const started = context.clock.elapsed();
  const remark = options.hasStats ? notices.warn : notices.remark;
  const read = subjectReader(words, context);
  try {
    const subjects = await read();
    const log = openEventLog(wishes.eventsFile, notices);
    const open = await openClient(context, options, notices, "running");
    const stops = createStops(context.clock, context.signal, { ...wishes, maxCredits: options.maxCredits });
    const tally = createTally();
    const saying = { warn: notices.warn, log, isVerbose: options.verbosity > 0 };
    const report = tally.counting(createStreamReport(context.clock, saying));
    try {
      const { isSimulated, tier } = open.client.target;
      if (isSimulated) notices.remark(simulated);
      const room = (assets: number): Room => roomFor(wishes.feed, assets, capOf(tier));
      const connections = tally.plan(planShards(subjects, room(subjects.length)).length);
      remark(`dexdata: ${counted(subjects.length, "asset")} on ${counted(connections, "connection")}`);
      const { counts } = stops;
      const leftOut: OutputWishes["leftOut"] = (shard, event) => {
        stops.leftOut();
        report.leftOut(shard, event);
      };
      const output = { options, wishes, notices, stderr, isSimulated, connections: tally, counts, leftOut };
      const display = await openOutput(context, { ...output, assets: subjects.map(nameOf) });
      const session = { context, options, wishes, open, stops, report, display, notices };
      const tail = createSessionTail(session, room);
      const listening = listenForReload(session, tail, namesFile(words) ? read : undefined);
      const ticking = logCredits(session);
      try {
        return await untilStopped(tail.run(subjects, stops.signal), tally);
      } finally {
        listening();
        ticking();
        await display.close();
      }
    } finally {
      stops.release();
      const { events, credits } = stops.counts();
      report.credits(events, credits);
      await open.close();
      remark(closingLine(events, credits, context.clock.elapsed() - started));
    }
  } finally {
    context.leaveReader();
    await notices.settled();
  }
}

const simulated = "simulated data: the sandbox's made-up market, not the real one";

/**
 * Everything ends by being thrown; a stop that was asked for is no failure. Time passes whether or not anything is
 * connected: where a connection was missing at its end, what was asked for did not come whole.
 */
async function untilStopped(run: Promise<never>, { state }: ConnectionTally): Promise<ExitCode> {
  try {
    return await run;
  } catch (cause) {
    if (cause instanceof Stop) return cause.by === "time" && state().missed > 0 ? 8 : 0;
    throw cause;
  }
}

function createSessionTail(session: Session, room: (assets: number) => Room): Tail {
  const { context, options, wishes, open, stops, report, display } = session;
  const { feed, kind, params, onInvalid, maxReconnects, streamingUrl } = wishes;
  const target = { ...open.client.target, ...(streamingUrl !== undefined && { streaming: streamingUrl }) };
  const daily = dailyBudgetOf(session);
  return createTail(
    context,
    {
      target,
      clock: context.clock,
      pace: open.pace,
      timeout: options.timeout,
      command: feed.name === "prices" ? "stream" : `stream --feed ${feed.name}`,
      counted: warnOfPlan(session),
    },
    {
      feed,
      kind,
      params,
      room,
      onInvalid,
      limits: { names: feed.events, silence: defaultSilence, maxReconnects },
    },
    {
      ...report,
      missed: (shard, gap, missing) => {
        // Whoever has all that was asked for, or ends it at its first try, misses nothing there.
        if (missing === "opening" && isOverEarly(stops.signal.reason)) return;
        report.missed(shard, gap, missing);
      },
      dropped: (subjects, failure) => {
        report.dropped(subjects, failure);
        display.drop?.(subjects);
      },
      charged: stops.charge,
      events: async (shard, events, at) => {
        let rest = events;
        let wanted: number;
        do {
          wanted = stops.take(rest.length);
          const taken = wanted === rest.length ? rest : rest.slice(0, wanted);
          rest = rest.slice(wanted);
          await display.show(shard, taken, at);
          stops.written();
          // What was left out of those taken makes room for others.
        } while (wanted > 0 && rest.length > 0 && !stops.signal.aborted);
        await daily?.(events.length);
      },
    },
  );
}

function isOverEarly(reason: unknown): boolean {
  return isInterruption(reason) || (reason instanceof Stop && reason.by === "limit");
}

/** Events are paid for when they come: what passes the day's budget ends the stream behind them. */
function dailyBudgetOf({
  context,
  options,
  open,
}: Session): ((credits: number) => Promise<void>) | undefined {
  const { target } = open.client;
  if (options.settings.budget_daily.value === undefined || target.isSimulated) return undefined;
  const budget = budgetOf(context, { ...options, maxCredits: undefined }, target);
  return async (credits) => await (await budget.claim(credits)).settle(credits);
}

/** A key that the service does not count under its plan is a silent loss: it is said whoever listens. */
function warnOfPlan({ open, notices }: Session): (plan: string) => void {
  const { tier } = open.client.target;
  let isSaid = false;
  return (plan) => {
    if (plan === tier || isSaid) return;
    isSaid = true;
    notices.warn(`dexdata: the service counts this as ${plan}, not ${tier}; see: dexdata auth status`);
  };
}

/** SIGHUP reads `@file` again; a list that cannot be used leaves everything as it is. */
function listenForReload(
  { context, report, display }: Session,
  tail: Tail,
  read: ReturnType<typeof subjectReader> | undefined,
): () => void {
  if (read === undefined) return () => undefined;
  const reload = async (): Promise<void> => {
    try {
      const subjects = tail.reload(await read());
      display.watch?.(subjects);
      report.reloaded(subjects.length);
    } catch (cause) {
      if (!(cause instanceof Failure)) throw cause;
      report.reloadRefused(cause);
    }
  };
  return context.onReload(() => {
    void reload();
  });
}

/** Once a minute in `--events`, where something has come. */
function logCredits({ context, stops, report, wishes }: Session): () => void {
  if (wishes.eventsFile === undefined) return () => undefined;
  const done = new AbortController();
  const tick = async (): Promise<void> => {
    for (let before = 0; ;) {
      await context.clock.sleep(60_000, done.signal);
      const { events, credits } = stops.counts();
      if (credits !== before) report.credits(events, credits);
      before = credits;
    }
  };
  tick().catch(() => undefined);
  return () => done.abort();
}

function closingLine(events: number, credits: number, milliseconds: number): string {
  return `${counted(events, "event")}, ${counted(credits, "credit")}, ${(milliseconds / 1000).toFixed(1)} s`;
}
