import type { Clock } from "../../../base/context/context.ts";
import { earlierFiles } from "../../../base/files/file-pattern.ts";
import { readLastLines } from "../../../base/files/last-lines.ts";
import { member, parseJson } from "../../../base/json/json-scan.ts";
import { type Moment, momentAt } from "../../../client/gap.ts";
import type { StreamValues } from "./stream-flags.ts";

/** In bytes, from the end of `--events`: enough for one line with hundreds of assets. */
const endBytes = 256 * 1024;

/**
 * When an earlier run, which may have been killed, last wrote to `--out`, or to `--events` if that file does not exist;
 * undefined if there was none. Later times than the present come from a wrong clock.
 */
export async function endOfEarlierRun(
  { out, events }: Pick<StreamValues, "out" | "events">,
  clock: Pick<Clock, "now" | "elapsed">,
): Promise<Moment | undefined> {
  const now = clock.now();
  const files = out === undefined ? [] : earlierFiles(out, "any");
  const written = files.map(({ writtenAt }) => writtenAt).filter((at) => at <= now);
  if (written.length > 0) return momentAt(clock, Math.max(...written));
  if (events === undefined) return undefined;
  const { lines } = await readLastLines(events, endBytes).catch(() => ({ lines: [] }));
  const times = lines.map((line) => Date.parse(String(member(parseJson(line), "at"))));
  const last = times.findLast((at) => at <= now);
  return last === undefined ? undefined : momentAt(clock, last);
}
