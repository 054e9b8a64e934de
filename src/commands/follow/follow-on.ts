import { textRows } from "../../client/rows/rows.ts";
import type { Target } from "../../client/connection/target.ts";
import type { Question } from "../../contract/args.ts";
import type { Clock, Context, Output } from "../../context/context.ts";
import { onlyGroup } from "../../contract/endpoint.ts";
import { fail, type Failure } from "../../contract/failure.ts";
import { fromWire, type Instant } from "../../time/time.ts";
import { type Ending, Stop } from "../../tail/ending.ts";
import { transactionsFeed } from "../../contract/feeds/transactions-feed.ts";
import { followRows } from "../../tail/follow/follow-rows.ts";
import { createRowWriter, type ServicePresent } from "../../tail/follow/row-writer.ts";
import {
  createWake,
  listenForCalls,
  quietGap,
  substituteGap,
  type Wake,
} from "../../tail/follow/schedule.ts";
import { readWrittenRows, type WrittenRows } from "../../tail/follow/written-rows.ts";
import { createQuietWatch, type QuietWatch } from "../../tail/quiet-watch.ts";
import { openerOf } from "../../tail/subscription.ts";
import type { Report } from "../../run/report.ts";
import { leftOutLines, missingFields } from "../endpoint/missing-fields.ts";
import type { OpenClient } from "../../run/open-client.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { FollowWishes } from "./follow-wishes.ts";
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
  readonly course: FollowReport;
  readonly report: Report;
  readonly present: ServicePresent;
}

/** Returns when a stop that was asked for is met and nothing is missing; everything else is thrown. */
export async function followOn(following: Following): Promise<void> {
  const { context, options, wishes, question, pageSize, output, open, ending, course, report, present } =
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
      for (const line of [...missing, ...leftOutLines(renderer)]) report.warn(line);
    },
    { late: course.late, ahead: course.ahead, latest },
  );
  const from = fromOf(question);
  let written: WrittenRows | undefined;
  const readWritten = async (): Promise<WrittenRows | undefined> => {
    if (wishes.out === undefined || written !== undefined) return written;
    written = await readWrittenRows(wishes.out, question, latest());
    if (written !== undefined) course.continued(written, from, latest());
    return written;
  };
  const wake = createWake(clock, signal);
  let listening: Promise<void> | undefined;
  let isStuck = false;
  let behind: Failure | undefined;
  if (wishes.poll !== undefined) report.warn(pollLine(wishes.poll));
  try {
    await followRows({
      context,
      beginning: { client: open.client, question, pageSize, from, readWritten },
      wake,
      latest,
      idle: () => wishes.poll ?? (course.isListening() ? quietGap : substituteGap),
      handlers: {
        write: writer.write,
        retrying: course.readFailed,
        unwritten: (rows) => {
          isStuck = true;
          course.unwritten(rows);
          // What waits in the pipe would keep the process for as long as its reader sleeps.
          context.leaveReader();
        },
        caughtUp: (began, rows) => {
          course.caughtUp(began, rows);
          // After the history: its events would be paid for and tell nothing.
          if (wishes.poll === undefined) listening ??= listen(following, wake);
        },
      },
    });
  } catch (cause) {
    if (!(signal.reason instanceof Stop)) throw cause;
    behind = course.behind();
  } finally {
    ending.end(new Error("the reading is over"));
    await listening;
    course.ended(writer.count(), open.client.meter);
  }
  if (!isStuck) await renderer.end();
  if (behind !== undefined) throw behind;
}

/** A stream that ends for good ends the tail, with its reason. */
async function listen(
  { context, options, question, target, open, ending, course }: Following,
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
      feed: transactionsFeed,
      kind: transactionsFeed.kinds[0],
      subjects: [subject],
      params: new Map(),
    },
  );
  const handlers = {
    opened: course.opened,
    charged: course.charged,
    retrying: course.streamLost,
    said: course.said,
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
