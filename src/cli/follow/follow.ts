import type { Context } from "../../context/context.ts";
import { type Endpoint, onlyGroup, rowShape } from "../../contract/endpoint.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { checkColumns } from "../../render/table/choose-columns.ts";
import { createEnding } from "../../tail/ending.ts";
import { createServicePresent } from "../../tail/follow/service-present.ts";
import { createListSources } from "../asking/list-sources.ts";
import { readQuestions } from "../asking/questions.ts";
import type { FlagValues } from "../flags/flags.ts";
import { createNotices, type Notices } from "../notices.ts";
import { openClient } from "../open-client.ts";
import { openEventLog } from "../output/event-log.ts";
import { sayWhatItWas } from "../run-endpoint.ts";
import { readStreamingUrl } from "../stream/stream-options.ts";
import type { FollowWishes } from "./follow-flags.ts";
import { followOn } from "./follow-on.ts";
import { followOptions, openFollowOutput } from "./follow-output.ts";
import { createFollowReport } from "./follow-report.ts";

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
  const sources = createListSources(outer, notices.warn);
  const { endpoint, asked, walk } = await readQuestions(group, words, flags, options, sources);
  if (options.columns !== undefined)
    checkColumns(new Map([[onlyGroup, rowShape(endpoint)]]), options.columns);
  const streaming = readStreamingUrl(flags);
  const log = openEventLog(wishes.events, notices, outer.clock);
  const output = await openFollowOutput(wishes, outer, notices);
  const ending = createEnding(outer.clock, outer.signal, wishes.duration);
  // There is nothing to read again: it is a terminal that was closed, and what is held is to be written.
  const stopListening = outer.onReload(() => outer.interrupt({ cause: "SIGHUP" }));
  try {
    const context = { ...outer, signal: ending.signal };
    const present = createServicePresent(context.clock);
    const answered: Notices["answered"] = (exchange) => {
      present.heard(exchange.answer?.headers.get("date"));
      notices.answered(exchange);
    };
    const open = await openClient(context, options, { ...notices, answered }, options.sandbox?.speed ?? 1);
    try {
      const question = { endpoint, args: asked[0] ?? new Map() };
      const remark = options.hasStats ? notices.warn : notices.remark;
      const pool = `${question.args.get("network")}:${question.args.get("pool_address")}`;
      const report = createFollowReport({ warn: notices.warn, remark }, context.clock, log, pool);
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
        ending,
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
    ending.release();
    await output.close();
    outer.leaveReader();
    await notices.settled();
  }
}
