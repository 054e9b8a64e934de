import { textRows } from "../../client/rows/rows.ts";
import type { Target } from "../../client/connection/target.ts";
import type { Question } from "../../contract/args.ts";
import type { Clock, Context, Output } from "../../context/context.ts";
import { onlyGroup } from "../../contract/endpoint.ts";
import { fail, type Failure } from "../../contract/failure.ts";
import { fromWire, type Instant } from "../../time/time.ts";
import { type Ending, Stop } from "../../tail/ending.ts";
import { feeds } from "../../tail/feeds.ts";
import { beginTail } from "../../tail/follow/begin-tail.ts";
import { follow } from "../../tail/follow/follow.ts";
import { listenForCalls } from "../../tail/follow/listen-for-calls.ts";
import { createRowWriter } from "../../tail/follow/row-writer.ts";
import { quietGap, substituteGap } from "../../tail/follow/schedule.ts";
import type { ServicePresent } from "../../tail/follow/service-present.ts";
import { createWake, type Wake } from "../../tail/follow/wake.ts";
import { readWrittenRows, type WrittenRows } from "../../tail/follow/written-rows.ts";
import { createQuietWatch, type QuietWatch } from "../../tail/quiet-watch.ts";
import { openerOf } from "../../tail/subscription.ts";
import type { Notices } from "../notices.ts";
import { leftOutLines } from "../output/left-out.ts";
import { missingFields } from "../output/missing-fields.ts";
import type { OpenClient } from "../open-client.ts";
import type { RunOptions } from "../run-options.ts";
import type { FollowWishes } from "./follow-flags.ts";
import { openFollowRenderer } from "./follow-output.ts";
import { type FollowReport, pollLine } from "./follow-report.ts";

/** A list that is followed, from its start to its end. */
export interface Following {
  readonly context: Context;
  readonly options: RunOptions;
  readonly wishes: FollowWishes;
  readonly question: Question;
  readonly pageSize: number;
  /** With the streaming host that is in use. */
  readonly target: Target;
  readonly output: Output;
  readonly open: OpenClient;
  readonly ending: Ending;
  readonly report: FollowReport;
  readonly notices: Notices;
  readonly present: ServicePresent;
}

/** Returns when a stop that was asked for is met and nothing is missing; everything else is thrown. */
export async function followOn(following: Following): Promise<void> {
  const { context, options, wishes, question, pageSize, output, open, ending, report, notices, present } =
    following;
  const { latest } = present;
  const { clock, signal } = context;
  const idle = watchRows(clock, wishes.idle, ending);
  const renderer = await openFollowRenderer(context, { options, endpoint: question.endpoint, output });
  let hasRows = false;
  const writer = createRowWriter(
    wishes.limit,
    async (rows) => {
      idle?.pause("rows");
      const page = textRows(rows.map(({ text, value }) => ({ row: text, value })));
      await renderer.page({ group: onlyGroup, rows: page, next: undefined });
      idle?.resume("rows");
      if (hasRows) return;
      hasRows = true;
      // Whoever follows for days should know it at the beginning.
      const missing = missingFields(options.fields, question.endpoint, page);
      for (const line of [...missing, ...leftOutLines(renderer)]) notices.warn(line);
    },
    { late: report.late, ahead: report.ahead, latest },
  );
  const from = fromOf(question);
  let written: WrittenRows | undefined;
  const readWritten = async (): Promise<WrittenRows | undefined> => {
    if (wishes.out === undefined || written !== undefined) return written;
    written = await readWrittenRows(wishes.out, question, latest());
    if (written !== undefined) report.continued(written, from, latest());
    return written;
  };
  const wake = createWake(clock, signal);
  let listening: Promise<void> | undefined;
  let isStuck = false;
  let behind: Failure | undefined;
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
          readWritten,
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
    if (!(signal.reason instanceof Stop)) throw cause;
    behind = report.behind();
  } finally {
    ending.end(new Error("the reading is over"));
    await listening;
    report.ended(writer.count(), open.client.meter);
  }
  if (!isStuck) await renderer.end();
  if (behind !== undefined) throw behind;
}

/** A stream that ends for good ends the tail, with its reason. */
async function listen(
  { context, options, question, target, open, ending, report }: Following,
  wake: Wake,
): Promise<void> {
  const { args } = question;
  const subject = { network: args.get("network") ?? "", address: args.get("pool_address") ?? "" };
  const opener = openerOf(
    {
      target,
      context,
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
    (cause: unknown) => ending.end(cause),
  );
}

function fromOf({ args }: Question): Instant | undefined {
  const from = args.get("from");
  return from === undefined ? undefined : fromWire(from);
}

/** Ends it when no row has come for so many milliseconds; time that our own reader takes does not count. */
function watchRows(
  clock: Clock,
  idle: number | undefined,
  { signal, end }: Ending,
): QuietWatch<"rows"> | undefined {
  if (idle === undefined) return undefined;
  const quiet = createQuietWatch<"rows">(clock, idle, signal, () => {
    end(
      fail("idle", `no row came for ${idle / 1000} s (--idle-exit)`, {
        next: "look whether the pool is traded at all: dexdata pool <network> <pool>",
      }),
    );
  });
  quiet.expect("rows");
  return quiet;
}
