import { isSkipped } from "../../client/streams/stream-event.ts";
import { type Context, isInterruption } from "../../context/context.ts";
import { streamCommand } from "../../contract/feeds/all-feeds.ts";
import { Stop, type Stops } from "../../tail/ending.ts";
import { defaultSilence } from "../../tail/shard.ts";
import { Tail } from "../../tail/tail.ts";
import type { Report } from "../../run/report.ts";
import type { OpenClient } from "../../run/open-client.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { budgetOf } from "../../run/spending/daily-budget.ts";
import { watchIdle } from "../../tail/idle-connections.ts";
import type { StreamDisplay } from "./stream-display.ts";
import type { StreamOptions } from "./stream-options.ts";
import type { StreamReport } from "./stream-report.ts";
import { unpricedAssets } from "../../tail/find-invalid.ts";

/** One stream from its start to its end. */
export interface Session {
  readonly context: Context;
  readonly options: RunOptions;
  readonly wishes: StreamOptions;
  readonly open: OpenClient;
  readonly stops: Stops;
  readonly course: StreamReport;
  readonly display: StreamDisplay;
  readonly report: Report;
}

/** The connections of a session: what they bring goes to its display, as far as its stops want it. */
export function createSessionTail(session: Session, cap: number): Tail {
  const { context, options, wishes, open, stops, course, display } = session;
  const { feed, kind, params, onInvalid, maxReconnects, largestEvent, streamingUrl, idle } = wishes;
  const named = streamingUrl === undefined ? {} : { streaming: streamingUrl, tierSource: undefined };
  const target = { ...open.client.target, ...named };
  const daily = dailyBudgetOf(session);
  return new Tail(
    context,
    {
      target,
      context,
      pace: open.pace,
      timeout: options.timeout,
      command: streamCommand(feed),
      counted: warnOfPlan(session),
    },
    {
      feed,
      kind,
      params,
      cap,
      onInvalid,
      limits: { feed, silence: defaultSilence, maxReconnects, largestEvent },
      // Credits that were to be spent on events are not spent on a search that can do without.
      suspects:
        kind.by === "token" && options.maxCredits === undefined
          ? unpricedAssets(open.client, stops.charge)
          : undefined,
    },
    watchIdle(context.clock, idle, stops, {
      ...course,
      begun: () => undefined,
      missed: (shard, gap, missing) => {
        // Whoever has all that was asked for, or ends it at its first try, misses nothing there.
        if (missing === "opening" && isOverEarly(stops.signal.reason)) return;
        course.missed(shard, gap, missing);
      },
      dropped: (subjects, failure) => {
        course.dropped(subjects, failure);
        display.drop?.(subjects);
      },
      charged: stops.charge,
      events: async (shard, events, at) => {
        let rest = events;
        if (events.some(isSkipped)) {
          for (const event of events.filter(isSkipped)) course.skipped(shard, event);
          rest = events.filter((event) => !isSkipped(event));
        }
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
    }),
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
  report,
}: Session): ((credits: number) => Promise<void>) | undefined {
  const { target } = open.client;
  if (options.settings.budget_daily.value === undefined || target.isSimulated) return undefined;
  const budget = budgetOf(context, { ...options, maxCredits: undefined }, target, report.tell);
  return async (credits) => await (await budget.claim(credits)).settle(credits);
}

/** A key that the service does not count under its plan is a silent loss: it is said whoever listens. */
function warnOfPlan({ open, report }: Session): (plan: string) => void {
  const { tier } = open.client.target;
  let isSaid = false;
  return (plan) => {
    if (plan === tier || isSaid) return;
    isSaid = true;
    report.warn(`the service counts this as ${plan}, not ${tier}; see: dexdata auth status`);
  };
}
