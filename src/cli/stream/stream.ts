import type { Subject } from "../../client/batches.ts";
import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { Failure } from "../../contract/failure.ts";
import { Stop } from "../../tail/ending.ts";
import { capOf, nameOf, planShards, roomFor } from "../../tail/shards.ts";
import { createListSources } from "../asking/list-sources.ts";
import { hintAtNetworks } from "../asking/nearest-network.ts";
import type { FlagValues } from "../flags/flags.ts";
import { counted } from "../../text/counted.ts";
import { createNotices } from "../notices.ts";
import { openClient } from "../open-client.ts";
import { openEventLog } from "../output/event-log.ts";
import { createHeldOutput } from "../output/held-output.ts";
import { readRunOptions } from "../run-options.ts";
import { readStreamOptions } from "./stream-options.ts";
import { openOutput, type OutputWishes } from "./stream-output.ts";
import { createStreamReport } from "./stream-report.ts";
import { createSessionTail } from "./stream-session.ts";
import { createStops } from "./stream-stops.ts";
import { namesFile, subjectReader } from "./stream-subjects.ts";
import { type ConnectionTally, createTally } from "./stream-tally.ts";
import { listenForReload, logCredits } from "./stream-upkeep.ts";

/** A price moves every few seconds at best: who tries a stream sees in a second what a minute of the market brings. */
const sandboxSpeed = 60;

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
  const read = subjectReader(words, wishes.kind, createListSources(context, notices.warn));
  try {
    const subjects = await read(context.signal);
    const log = openEventLog(wishes.eventsFile, notices, context.clock);
    const speed = options.sandbox?.speed ?? (wishes.params.has("since") ? 1 : sandboxSpeed);
    const open = await openClient(context, options, notices, speed);
    const stops = createStops(context.clock, context.signal, { ...wishes, maxCredits: options.maxCredits });
    const tally = createTally();
    const { largestEvent } = wishes;
    const saying = { warn: notices.warn, log, isVerbose: options.verbosity > 0, largestEvent };
    const report = tally.counting(createStreamReport(context.clock, saying));
    try {
      const { isSimulated, tier } = open.client.target;
      if (isSimulated) notices.remark(simulated(speed));
      const cap = capOf(tier);
      const room = roomFor(wishes.feed, subjects.length, cap);
      const connections = tally.plan(planShards(subjects, room).length);
      remark(`dexdata: ${counted(subjects.length, "asset")} on ${counted(connections, "connection")}`);
      const { counts } = stops;
      const leftOut: OutputWishes["leftOut"] = (shard, event) => {
        stops.leftOut();
        report.leftOut(shard, event);
      };
      const output = { options, wishes, notices, stderr, isSimulated, connections: tally, counts, leftOut };
      const display = await openOutput(context, { ...output, assets: subjects.map(nameOf) });
      const session = { context, options, wishes, open, stops, report, display, notices };
      const tail = createSessionTail(session, cap);
      const listening = listenForReload(session, tail, namesFile(words) ? read : undefined);
      const ticking = logCredits(session);
      try {
        return await untilStopped(tail.run(subjects, stops.signal), tally, subjects);
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

function closingLine(events: number, credits: number, milliseconds: number): string {
  return `${counted(events, "event")}, ${counted(credits, "credit")}, ${(milliseconds / 1000).toFixed(1)} s`;
}
