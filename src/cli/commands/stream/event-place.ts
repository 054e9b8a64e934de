import { Foreign, readRow, type StreamEvent } from "../../../client/stream-event.ts";
import type { Feed, FeedKind } from "../../../api/feed.ts";
import type { Clock } from "../../../base/context/context.ts";
import { earlierFiles, type PathNames, readTime } from "../../../base/files/file-pattern.ts";
import { readLastLines } from "../../../base/files/last-lines.ts";
import { member, parseJson } from "../../../base/json/json-scan.ts";
import { instant } from "../../../base/text/words.ts";
import { type LiveOptions, momentAt, type Subscription } from "../../../client/stream-options.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
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

/** In milliseconds. For this long, a run can log that it is alive before it notices that a connection is dead. */
const unnoticed = 50_000;

/** When a connection was opened or closed, or since when it is lost, in milliseconds since the epoch. */
interface KnownState {
  readonly at: number;
  readonly isLost: boolean;
}

/**
 * Until when an earlier run, which may have been killed, had the events of these assets; undefined if there was none. By
 * `--events`, a connection may have been lost before the end; otherwise, the end is the last write to `--out`, or the last
 * line of `--events` if that file does not exist. Later times than the present come from a wrong clock.
 */
export async function endOfEarlierRun(
  { out, events }: Pick<StreamValues, "out" | "events">,
  clock: Pick<Clock, "now" | "elapsed">,
): Promise<LiveOptions["since"]> {
  const now = clock.now();
  const files = out === undefined ? [] : earlierFiles(out);
  const written = files.map(({ writtenAt }) => writtenAt).filter((at) => at <= now);
  const none = { lines: [] };
  const { lines } = events === undefined ? none : await readLastLines(events, endBytes).catch(() => none);
  const states = new Map<unknown, KnownState>();
  let last: number | undefined;
  for (const line of lines.map(parseJson)) {
    const [event, names] = [member(line, "event"), member(line, "names")];
    const [at, from] = ["at", "from"].map((name) => Date.parse(String(member(line, name))));
    if (at === undefined || !(at <= now)) continue;
    last = at;
    const isLost = event === "retry";
    if (!Array.isArray(names) || !(isLost || event === "open" || event === "close")) continue;
    for (const name of names)
      if (!isLost || states.get(name)?.isLost !== true)
        states.set(name, { at: isLost && from !== undefined && from <= at ? from : at, isLost });
  }
  const end = written.length > 0 ? Math.max(...written) : undefined;
  const endOf = (subject: Subject): number | undefined => {
    const { at = 0, isLost = false } = states.get(nameOf(subject)) ?? {};
    return isLost ? at : (end ?? (last && Math.max(at, last - unnoticed)));
  };
  return (subjects) => {
    const ends = subjects.map(endOf).filter((each) => each !== undefined);
    return ends.length === 0 ? undefined : momentAt(clock, Math.min(...ends));
  };
}
