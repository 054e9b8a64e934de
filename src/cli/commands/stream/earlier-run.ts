import type { Clock } from "../../../base/context/context.ts";
import { earlierFiles } from "../../../base/files/file-pattern.ts";
import { readLastLines } from "../../../base/files/last-lines.ts";
import { member, parseJson } from "../../../base/json/json-scan.ts";
import { type LiveOptions, momentAt } from "../../../client/stream-options.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
import type { StreamValues } from "./stream-flags.ts";

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
  const end = files.find(({ writtenAt }) => writtenAt <= now)?.writtenAt;
  const none = { lines: [] };
  const { lines } = events === undefined ? none : await readLastLines(events, endBytes).catch(() => none);
  const { states, last } = readLog(lines, now);
  const endOf = (subject: Subject): number | undefined => {
    const { at = 0, isLost = false } = states.get(nameOf(subject)) ?? {};
    return isLost ? at : (end ?? (last && Math.max(at, last - unnoticed)));
  };
  return (subjects) => {
    const ends = subjects.map(endOf).filter((each) => each !== undefined);
    return ends.length === 0 ? undefined : momentAt(clock, Math.min(...ends));
  };
}

/** The latest state of each asset's connection, by name, and the time of the last line. */
function readLog(lines: readonly string[], now: number) {
  const states = new Map<unknown, KnownState>();
  let last: number | undefined;
  for (const line of lines.map(parseJson)) {
    const [event, names, at] = [member(line, "event"), member(line, "names"), timeIn(line, "at")];
    if (!(at <= now)) continue;
    last = at;
    const isLost = event === "retry";
    if (!Array.isArray(names) || !(isLost || event === "open" || event === "close")) continue;
    const from = timeIn(line, "from");
    // Later retries of the same outage do not move its start.
    for (const name of names)
      if (!isLost || states.get(name)?.isLost !== true)
        states.set(name, { at: isLost && from <= at ? from : at, isLost });
  }
  return { states, last };
}

/** NaN if the line has no such time. */
const timeIn = (line: unknown, name: string): number => Date.parse(String(member(line, name)));
