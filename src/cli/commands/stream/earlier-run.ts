import { earlierFiles, hasNames } from "../../../base/files/file-pattern.ts";
import { readLastLines } from "../../../base/files/last-lines.ts";
import { member } from "../../../base/json/raw-json.ts";
import type { StreamValues } from "./stream-flags.ts";

/** In bytes, from the end of `--events`: enough for one line with hundreds of assets. */
const endBytes = 256 * 1024;

/**
 * When an earlier run, which may have been killed, last wrote to `--out`, or to `--events` if that file does not exist. In
 * milliseconds since the epoch; undefined if there was none. `now` is the present: later times come from a wrong clock.
 */
export async function endOfEarlierRun(
  { out, events }: Pick<StreamValues, "out" | "events">,
  now: number,
): Promise<number | undefined> {
  // With assets in the name, the newest file would be that of one asset.
  const files = out === undefined || hasNames(out) ? [] : earlierFiles(out, {});
  const written = files.map(({ writtenAt }) => writtenAt).filter((at) => at <= now);
  if (written.length > 0) return Math.max(...written);
  if (events === undefined) return undefined;
  const { lines } = await readLastLines(events, endBytes).catch(() => ({ lines: [] }));
  const times = lines.map(timeOf).filter((at) => at <= now);
  return times.at(-1);
}

/** NaN if the line has no time. */
function timeOf(line: string): number {
  try {
    return Date.parse(String(member(JSON.parse(line), "at")));
  } catch {
    return Number.NaN;
  }
}
