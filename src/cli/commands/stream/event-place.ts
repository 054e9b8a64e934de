import { Foreign, readRow, type StreamEvent } from "../../../client/stream-event.ts";
import type { Feed, FeedKind } from "../../../api/feed.ts";
import type { Clock } from "../../../base/context/context.ts";
import { earlierFiles, type PathNames, readTime } from "../../../base/files/file-pattern.ts";
import { readLastLines } from "../../../base/files/last-lines.ts";
import { member, parseJson } from "../../../base/json/json-scan.ts";
import { instant } from "../../../base/text/words.ts";
import { type Moment, momentAt, type Subscription } from "../../../client/stream-options.ts";
import { createSparseCount } from "../../run/repeat-limiter.ts";
import type { StreamValues } from "./stream-flags.ts";

/** What selects an event's file. */
export interface Place {
  /** In milliseconds since the epoch. */
  readonly time: number;
  readonly names: PathNames;
}

/** The fields in paths, except the times, that the events of a feed have. */
export function eventFields({ params }: Feed, { by, event }: FeedKind): readonly string[] {
  const isOfPool = by === "pool" || event.record["pool_id"] !== undefined;
  return [
    "network",
    ...(isOfPool ? ["pool"] : []),
    ...(by === "token" ? ["token"] : []),
    ...(params.includes("interval") ? ["candle"] : []),
  ];
}

/** In milliseconds. A time that differs more from the receipt is wrong and would create a file far from the others. */
const maxApart = 86_400_000;

/** The user's own names are preferred to the service's, because only they are the same for all events of an asset. */
export function createPlaces(
  { feed, kind, params }: Omit<Subscription, "subjects">,
  isSimulated: boolean,
  warn: (text: string) => void,
) {
  const [countUntimed, countApart] = [createSparseCount(), createSparseCount()];
  const timeOf = (row: unknown, received: number): number => {
    const time = feed.times.map((name) => readTime(member(row, name))).find((each) => each !== undefined);
    // The time of simulated events is not that of the clock.
    if (time !== undefined && (isSimulated || Math.abs(time - received) <= maxApart)) return time;
    const [count, problem] =
      time === undefined
        ? [countUntimed(), "an event has no readable time"]
        : [countApart(), `an event's time is ${instant(time)}, more than a day from its receipt`];
    const effect = "such events are written to the file of their time of receipt";
    if (count !== undefined) warn(`${problem}; ${effect}; ${count} so far`);
    return received;
  };
  return (event: StreamEvent, received: number): Place => {
    const row = readRow(event);
    const { owner } = event;
    const [subject, isAlike] = owner instanceof Foreign ? [undefined, owner.isAlike] : [owner, false];
    const text = (...names: readonly string[]): string | undefined =>
      names.map((name) => member(row, name)).find((value) => typeof value === "string");
    const pool = kind.by === "pool" ? subject?.address : undefined;
    const token = kind.by === "token" ? subject?.address : undefined;
    const names = {
      network: subject?.network ?? text("chain", "c"),
      // Without the network in the path, a foreign event would be in the file of the asset with the same address.
      pool: isAlike ? undefined : (pool ?? text("pool_id")),
      token: isAlike ? undefined : (token ?? text("token_id", "address", "a")),
      candle: params.get("interval") ?? text("interval"),
    };
    return { time: timeOf(row, received), names };
  };
}

/** In bytes, from the end of `--events`: enough for one line with hundreds of assets. */
const endBytes = 256 * 1024;

/**
 * When an earlier run, which may have been killed, last wrote to `--out`, or was connected by `--events` if that file does
 * not exist; undefined if there was none. Later times than the present come from a wrong clock.
 */
export async function endOfEarlierRun(
  { out, events }: Pick<StreamValues, "out" | "events">,
  clock: Pick<Clock, "now" | "elapsed">,
): Promise<Moment | undefined> {
  const now = clock.now();
  const files = out === undefined ? [] : earlierFiles(out);
  const written = files.map(({ writtenAt }) => writtenAt).filter((at) => at <= now);
  if (written.length > 0) return momentAt(clock, Math.max(...written));
  if (events === undefined) return undefined;
  const { lines } = await readLastLines(events, endBytes).catch(() => ({ lines: [] }));
  const entries = lines
    .map(parseJson)
    .map((line) => ({ event: member(line, "event"), at: Date.parse(String(member(line, "at"))) }))
    .filter(({ at }) => at <= now);
  // If the run was killed while a connection was lost, the first retry shows when that was.
  const opened = entries.findLastIndex(({ event }) => event === "open" || event === "close");
  const last = entries.find(({ event }, index) => index > opened && event === "retry") ?? entries.at(-1);
  return last && momentAt(clock, last.at);
}
