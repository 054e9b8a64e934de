import type { Subject } from "../../client/pages/page.ts";
import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { Failure } from "../../contract/failure.ts";
import { connectionsOfPlan } from "../../contract/feed.ts";
import { createStops, Stop } from "../../tail/ending.ts";
import { nameOf, planShards, roomFor } from "../../tail/shards.ts";
import { hintAtNetworks } from "../../contract/network-aliases.ts";
import type { Input } from "../command.ts";
import type { StreamFlags } from "./stream-flags.ts";
import { counted } from "../../text/counted.ts";
import { openEventLog } from "../../run/output/event-log.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import type { Values } from "../../run/flags/flag.ts";
import { readStreamOptions } from "./stream-options.ts";
import { openOutput, type OutputWishes } from "./stream-output.ts";
import { createStreamReport } from "./stream-report.ts";
import { createSessionTail } from "./stream-session.ts";
import { namesFile, subjectReader } from "./stream-subjects.ts";
import { type ConnectionTally, createTally } from "./stream-tally.ts";
import { listenForReload, logCredits } from "./stream-upkeep.ts";

/** A price moves every few seconds at best: who tries a stream sees in a second what a minute of the market brings. */
const sandboxSpeed = 60;

/** Events of any number of assets, one line each, until a stop that was asked for is met. */
export async function stream({ words, flags }: Input<StreamFlags>, outer: Context): Promise<ExitCode> {
  return await withRun(flags, outer, async (run) => await streamUntilStopped(run, words, flags), {
    isTail: true,
  });
}

async function streamUntilStopped(
  run: Run,
  words: readonly string[],
  flags: Values<StreamFlags>,
): Promise<ExitCode> {
  const { context, options, report, stderr, onClose } = run;
  const wishes = readStreamOptions(flags, options.now);
  const started = context.clock.elapsed();
  const remark = options.hasStats ? report.tell : report.remark;
  const read = subjectReader(words, wishes.kind, run.sources);
  const subjects = await read(context.signal);
  const log = openEventLog(wishes.eventsFile, report, context.clock);
  const speed = options.sandbox?.speed ?? (wishes.params.has("since") ? 1 : sandboxSpeed);
  const stops = createStops(context.clock, context.signal, { ...wishes, maxCredits: options.maxCredits });
  onClose(stops.release);
  const { counts } = stops;
  const open = await run.open({
    speed,
    over: () => remark(closingLine(counts(), context.clock.elapsed() - started)),
  });
  const tally = createTally();
  const { largestEvent } = wishes;
  const saying = { warn: report.warn, log, isVerbose: options.verbosity > 0, largestEvent };
  const course = tally.counting(createStreamReport(context.clock, saying));
  onClose(() => course.credits(counts().events, counts().credits));
  const { isSimulated, tier } = open.client.target;
  if (isSimulated) report.remark(simulated(speed));
  const cap = connectionsOfPlan[tier];
  const connections = tally.plan(planShards(subjects, roomFor(wishes.feed, subjects.length, cap)).length);
  const note = options.hasStats ? report.warn : report.note;
  note(`${counted(subjects.length, "asset")} on ${counted(connections, "connection")}`);
  const leftOut: OutputWishes["leftOut"] = (shard, event) => {
    stops.leftOut();
    course.leftOut(shard, event);
  };
  const output = { options, wishes, report, stderr, isSimulated, connections: tally, counts, leftOut };
  const display = await openOutput(context, { ...output, assets: subjects.map(nameOf) });
  onClose(display.close);
  const session = { context, options, wishes, open, stops, course, display, report };
  const tail = createSessionTail(session, cap);
  onClose(logCredits(session));
  onClose(listenForReload(session, tail, namesFile(words) ? read : undefined));
  return await untilStopped(tail.run(subjects, stops.signal), tally, subjects);
}

function simulated(speed: number): string {
  const pace = speed === 1 ? "" : `, at ${speed} times its own speed (--speed 1 for that)`;
  return `simulated data: the sandbox's made-up market, not the real one${pace}`;
}

/**
 * Everything ends by being thrown; a stop that was asked for is no failure. Time passes whether or not anything is
 * connected: where a connection was missing at its end, what was asked for did not come whole.
 */
async function untilStopped(
  run: Promise<never>,
  { state }: ConnectionTally,
  subjects: readonly Subject[],
): Promise<ExitCode> {
  try {
    return await run;
  } catch (cause) {
    if (cause instanceof Stop) return cause.by === "time" && state().missed > 0 ? 8 : 0;
    throw isOfNetwork(cause) ? withNetworkHint(cause, subjects) : cause;
  }
}

/** An asset of a network that is not known is refused like an unknown asset; the sentence tells the difference. */
function isOfNetwork(cause: unknown): cause is Failure {
  return cause instanceof Failure && /\bunsupported (?:chain|network)\b/iu.test(cause.details.why ?? "");
}

function withNetworkHint({ message, details }: Failure, subjects: readonly Subject[]): Failure {
  return new Failure(message, { ...details, next: hintAtNetworks(subjects.map(({ network }) => network)) });
}

function closingLine(
  { events, credits }: { readonly events: number; readonly credits: number },
  milliseconds: number,
): string {
  return `${counted(events, "event")}, ${counted(credits, "credit")}, ${(milliseconds / 1000).toFixed(1)} s`;
}
