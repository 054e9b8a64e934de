import { isSkipped } from "../../client/streams/stream-event.ts";
import { isInterruption } from "../../context/context.ts";
import { streamCommand } from "../../contract/feeds/all-feeds.ts";
import type { OpenClient } from "../../run/open-client.ts";
import { budgetOf } from "../../run/spending/daily-budget.ts";
import type { Run } from "../../run/with-run.ts";
import { Stop } from "../../tail/ending.ts";
import { watchIdle } from "../../tail/idle-connections.ts";
import { defaultSilence } from "../../tail/shard.ts";
import type { Stops } from "../../tail/stream-stops.ts";
import { Tail, type TailHandlers } from "../../tail/tail.ts";
import { unpricedAssets } from "../../tail/unpriced-assets.ts";
import type { StreamOptions } from "./stream-options.ts";
import type { StreamDisplay } from "./stream-output.ts";
import type { StreamReport } from "./stream-report.ts";

/** One stream from its start to its end. */
export interface Session {
  readonly run: Run;
  readonly wishes: StreamOptions;
  readonly open: OpenClient;
  readonly stops: Stops;
  readonly course: StreamReport;
  readonly displays: readonly StreamDisplay[];
}

/** The connections of a session. Their events go to the displays until a stop is reached. */
export function createSessionTail(session: Session, cap: number): Tail {
  const { run, wishes, open, stops } = session;
  const { context, options } = run;
  const { feed, kind, params, onInvalid, maxReconnects, largestEvent, streamingUrl, idle } = wishes;
  const named = streamingUrl === undefined ? {} : { streaming: streamingUrl, tierSource: undefined };
  // Credits meant for events are not spent on an optional search.
  const isSearching = kind.by === "token" && options.maxCredits === undefined;
  return new Tail(
    context,
    {
      target: { ...open.client.target, ...named },
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
      suspects: isSearching ? unpricedAssets(open.client, stops.charge) : undefined,
    },
    watchIdle(context.clock, idle, stops, handlersOf(session)),
  );
}

function handlersOf(session: Session): TailHandlers {
  const { stops, course, displays } = session;
  const spendDaily = dailyBudgetOf(session);
  return {
    ...course,
    begun: () => undefined,
    missed: (shard, gap, missing) => {
      // At the limit, or at an interruption during the first attempt, nothing is missing.
      if (missing === "opening" && isOverEarly(stops.signal.reason)) return;
      course.missed(shard, gap, missing);
    },
    dropped: (subjects, failure) => {
      course.dropped(subjects, failure);
      for (const display of displays) display.drop?.(subjects);
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
        for (const display of displays) await display.show(shard, taken, at);
        stops.written();
        // Each event that is not written makes room for another one.
      } while (wanted > 0 && rest.length > 0 && !stops.signal.aborted);
      await spendDaily?.(events.length);
    },
  };
}

function isOverEarly(reason: unknown): boolean {
  return isInterruption(reason) || (reason instanceof Stop && reason.by === "limit");
}

/** Events are charged on arrival, so the stream ends after the events that exceed the daily budget. */
function dailyBudgetOf({ run, open }: Session): ((credits: number) => Promise<void>) | undefined {
  const { context, options, report } = run;
  const { target } = open.client;
  if (options.settings.budget_daily.value === undefined || target.isSimulated) return undefined;
  const budget = budgetOf(context, { ...options, maxCredits: undefined }, target, report.tell);
  return async (credits) => await (await budget.claim(credits)).settle(credits);
}

/** Without a warning, the user would not notice that the service applies another plan than the key's. */
function warnOfPlan({ run, open }: Session): (plan: string) => void {
  const { tier } = open.client.target;
  let isSaid = false;
  return (plan) => {
    if (plan === tier || isSaid) return;
    isSaid = true;
    run.report.warn(`the service counts this as ${plan}, not ${tier}; see: dexdata auth status`);
  };
}
