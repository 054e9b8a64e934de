import type { Target } from "../../client/target.ts";
import type { Question } from "../../model/args.ts";
import type { Context, Output } from "../../model/context.ts";
import { type Endpoint, onlyGroup } from "../../model/endpoint.ts";
import { type ExitCode } from "../../model/failure.ts";
import { fromWire, type Instant } from "../../model/time.ts";
import { feeds } from "../../tail/feeds.ts";
import { beginTail } from "../../tail/follow/begin-tail.ts";
import { follow } from "../../tail/follow/follow.ts";
import { listenForCalls } from "../../tail/follow/listen-for-calls.ts";
import { createRowWriter } from "../../tail/follow/row-writer.ts";
import { createServicePresent, type ServicePresent } from "../../tail/follow/service-present.ts";
import { createStops, type Stops } from "../../tail/follow/stops.ts";
import { quietGap, substituteGap } from "../../tail/follow/schedule.ts";
import { readWrittenRows } from "../../tail/follow/written-rows.ts";
import { createWake, type Wake } from "../../tail/follow/wake.ts";
import { openerOf } from "../../tail/subscription.ts";
import { readStreamingUrl } from "../stream/stream-options.ts";
import { openEventLog } from "../output/event-log.ts";
import type { FlagValues } from "../flags/flags.ts";
import type { FollowWishes } from "./follow-flags.ts";
import { followOptions, openFollowOutput, openFollowRenderer } from "./follow-output.ts";
import { createFollowReport, type FollowReport, pollLine } from "./follow-report.ts";
import { createNotices, type Notices } from "../notices.ts";
import { openClient, type OpenClient } from "../open-client.ts";
import { readQuestions } from "../asking/questions.ts";
import { sayWhatItWas } from "../run-endpoint.ts";
import type { RunOptions } from "../run-options.ts";

/** A list that goes on with what comes: from its words and flags to the stop that was asked for. */
export async function runFollow(
  group: readonly Endpoint[],
  words: readonly string[],
  flags: FlagValues,
  wishes: FollowWishes,
  outer: Context,
): Promise<ExitCode> {
  const options = followOptions(flags, wishes, outer);
  const notices = createNotices(outer, options);
  const stdin = async (): Promise<string> => await outer.stdin.read(outer.signal);
  const { endpoint, asked, walk } = await readQuestions(group, words, flags, options, stdin);
  const streaming = readStreamingUrl(flags);
  const log = openEventLog(wishes.events, notices);
  const output = await openFollowOutput(wishes, outer, notices);
  const stops = createStops(outer.clock, outer.signal, wishes);
  // There is nothing to read again: it is a terminal that was closed, and what is held is to be written.
  const stopListening = outer.onReload(() => outer.interrupt({ cause: "SIGTERM" }));
  try {
    const context = { ...outer, signal: stops.signal };
    const present = createServicePresent(context.clock);
    const answered: Notices["answered"] = (exchange) => {
      present.heard(exchange.answer?.headers.get("date"));
      notices.answered(exchange);
    };
    const open = await openClient(context, options, { ...notices, answered }, "running");
    try {
      const question = { endpoint, args: asked[0] ?? new Map() };
      const remark = options.hasStats ? notices.warn : notices.remark;
      const report = createFollowReport({ warn: notices.warn, remark }, context.clock, log);
      // A page is as large as it can be, unless that was asked for: `--limit` is about what is written.
      const pageSize = flags["page-size"] === undefined ? 100 : walk.pageSize;
      const target = { ...open.client.target, ...(streaming !== undefined && { streaming }) };
      await followOn({
        context,
        options,
        wishes,
        question,
        pageSize,
        target,
        output,
        open,
        stops,
        report,
        notices,
        present,
      });
      return 0;
    } finally {
      await open.close();
      sayWhatItWas(open, notices);
    }
  } finally {
    stopListening();
    stops.release();
    await output.close();
    outer.leaveReader();
    await notices.settled();
  }
}

interface Following {
  readonly context: Context;
  readonly options: RunOptions;
  readonly wishes: FollowWishes;
  readonly question: Question;
  readonly pageSize: number;
  /** With the streaming host that is in use. */
  readonly target: Target;
  readonly output: Output;
  readonly open: OpenClient;
  readonly stops: Stops;
  readonly report: FollowReport;
  readonly notices: Notices;
  readonly present: ServicePresent;
}

/** Returns when a stop that was asked for is met; everything else is thrown. */
async function followOn(following: Following): Promise<void> {
  const { context, options, wishes, question, pageSize, output, open, stops, report, notices, present } =
    following;
  const { latest } = present;
  const { clock, signal } = context;
  const renderer = await openFollowRenderer(context, { options, endpoint: question.endpoint, output });
  const writer = createRowWriter(
    wishes.limit,
    async (rows) => {
      await renderer.page({
        group: onlyGroup,
        rows: rows.map(({ text }) => text),
        values: rows.map(({ value }) => value),
        next: undefined,
      });
      stops.heard();
    },
    { late: report.late, ahead: report.ahead, latest },
  );
  const from = fromOf(question);
  const written =
    wishes.out === undefined ? undefined : await readWrittenRows(wishes.out, question, clock.now());
  if (written !== undefined) report.continued(written, from, latest());
  const wake = createWake(clock, signal);
  let listening: Promise<void> | undefined;
  let isStuck = false;
  if (wishes.poll !== undefined) notices.warn(`dexdata: ${pollLine(wishes.poll)}`);
  try {
    await follow({
      context,
      begin: async () =>
        await beginTail({
          client: open.client,
          question,
          pageSize,
          from,
          written: written?.rows ?? [],
          latest,
          clock,
        }),
      wake,
      latest,
      idle: () => wishes.poll ?? (report.isListening() ? quietGap : substituteGap),
      handlers: {
        write: writer.write,
        retrying: report.readFailed,
        unwritten: (rows) => {
          isStuck = true;
          report.unwritten(rows);
          // What waits in the pipe would keep the process for as long as its reader sleeps.
          context.leaveReader();
        },
        caughtUp: (began, rows) => {
          report.caughtUp(began, rows);
          // After the history: its events would be paid for and tell nothing.
          if (wishes.poll === undefined) listening ??= listen(following, wake);
        },
      },
    });
  } catch (cause) {
    if (!stops.isOver()) throw cause;
  } finally {
    stops.end(new Error("the reading is over"));
    await listening;
    report.ended(writer.count(), open.client.meter);
  }
  if (!isStuck) await renderer.end();
}

/** A stream that ends for good ends the tail, with its reason. */
async function listen(
  { context, options, question, target, open, stops, report }: Following,
  wake: Wake,
): Promise<void> {
  const { args } = question;
  const subject = { network: args.get("network") ?? "", address: args.get("pool_address") ?? "" };
  const opener = openerOf(
    {
      target,
      clock: context.clock,
      pace: open.pace,
      timeout: options.timeout,
      command: "txns --follow",
    },
    {
      feed: feeds.transactions,
      kind: { by: "pool", method: "pool" },
      subjects: [subject],
      params: new Map(),
    },
  );
  const handlers = {
    opened: report.opened,
    charged: report.charged,
    retrying: report.streamLost,
    said: report.said,
  };
  await listenForCalls(context, opener, { wake, budget: open.budget }, handlers, context.signal).catch(
    (cause: unknown) => stops.end(cause),
  );
}

function fromOf({ args }: Question): Instant | undefined {
  const from = args.get("from");
  return from === undefined ? undefined : fromWire(from);
}
