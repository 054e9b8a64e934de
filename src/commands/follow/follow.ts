import type { Context } from "../../context/context.ts";
import { type Endpoint, onlyGroup, rowShape } from "../../contract/endpoint.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { checkColumns } from "../../render/table/choose-columns.ts";
import { openEventLog } from "../../run/output/event-log.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { createEnding } from "../../tail/ending.ts";
import { createServicePresent } from "../../tail/follow/row-writer.ts";
import { readQuestions } from "../asking/questions.ts";
import type { Input } from "../command.ts";
import type { EndpointFlags } from "../endpoint/endpoint-flags.ts";
import { type FollowWishes, readFollowWishes } from "./follow-wishes.ts";
import { followOn } from "./follow-on.ts";
import { followOptions, openFollowOutput } from "./follow-output.ts";
import { createFollowReport } from "./follow-report.ts";

/** A list that goes on with what comes: from its words and flags to the stop that was asked for. */
export async function runFollow(
  group: readonly [Endpoint, ...Endpoint[]],
  input: Input<EndpointFlags>,
  outer: Context,
): Promise<ExitCode> {
  const wishes = readFollowWishes(input.flags);
  return await withRun(
    input.flags,
    outer,
    async (run): Promise<ExitCode> => {
      await followUntilStopped(run, group, input, wishes);
      return 0;
    },
    { adjust: (options) => followOptions(options, wishes), isTail: true },
  );
}

async function followUntilStopped(
  run: Run,
  group: readonly [Endpoint, ...Endpoint[]],
  input: Input<EndpointFlags>,
  wishes: FollowWishes,
): Promise<void> {
  const { options, report, onClose } = run;
  const { endpoint, asked, walk } = await readQuestions(group, input, options, run.sources);
  if (options.columns !== undefined)
    checkColumns(new Map([[onlyGroup, rowShape(endpoint)]]), options.columns);
  const log = openEventLog(wishes.events, report, run.context.clock);
  const output = await openFollowOutput(wishes, run.context, report);
  onClose(output.close);
  const ending = createEnding(run.context.clock, run.context.signal, wishes.duration);
  onClose(ending.release);
  // There is nothing to read again: it is a terminal that was closed, and what is held is to be written.
  onClose(run.context.onReload(() => run.context.interrupt({ cause: "SIGHUP" })));
  const context = { ...run.context, signal: ending.signal };
  const present = createServicePresent(context.clock);
  const open = await run.open({
    context,
    speed: options.sandbox?.speed ?? 1,
    observer: {
      answered: (exchange) => {
        present.heard(exchange.answer?.headers.get("date"));
        report.answered(exchange);
      },
    },
  });
  const question = { endpoint, args: asked[0] ?? new Map() };
  const note = options.hasStats ? report.warn : report.note;
  const pool = `${question.args.get("network")}:${question.args.get("pool_address")}`;
  const course = createFollowReport({ warn: report.warn, note }, context.clock, log, pool);
  // A page is as large as it can be, unless that was asked for: `--limit` is about what is written.
  const pageSize = input.flags["page-size"] === undefined ? 100 : walk.pageSize;
  const streaming = input.flags["streaming-url"];
  const target = { ...open.client.target, ...(streaming !== undefined && { streaming }) };
  const stream = { question, pageSize, target, open, present };
  await followOn({ ...stream, context, options, wishes, output, ending, course, report });
}
