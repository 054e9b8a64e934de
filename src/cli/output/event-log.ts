import { appendFileSync } from "node:fs";
import path from "node:path";
import { usageFailure } from "../../contract/failure.ts";
import { escapeJsonText } from "../../json/json-text.ts";
import { hideSecrets, withoutSecrets } from "../../contract/key.ts";
import { cannotBeWritten } from "../../files/file-fault.ts";
import { type FlagValues } from "../flags/flags.ts";
import { readFileName, readText } from "../flags/read-flag.ts";
import type { Clock } from "../../context/context.ts";
import { changesWithTime } from "../../files/file-pattern.ts";
import type { Notices } from "../notices.ts";
import { instant } from "./times-said.ts";

/** What happened to a stream: one line of `--events`. */
export interface LoggedEvent<Name extends string> {
  readonly event: Name;
  /** When it happened; when it is logged where not given. */
  readonly at?: string;
  readonly [name: string]: unknown;
}

export type LogEvent<Name extends string> = (event: LoggedEvent<Name>) => void;

/** The file of `--events` as typed: one file, and not that of the data. */
export function readEventsFile(flags: FlagValues): string | undefined {
  const file = readFileName(flags, "events");
  if (file === undefined) return undefined;
  const label = `--events "${withoutSecrets(file)}"`;
  if (changesWithTime(file))
    throw usageFailure(
      `${label}: is one file, whatever the time is`,
      "leave out the %; it may be moved away while it is written, as logrotate does",
    );
  const out = readText(flags, "out");
  if (out !== undefined && path.resolve(out) === path.resolve(file))
    throw usageFailure(`${label}: is the file of --out`, "name another file");
  return file;
}

/**
 * Appends one NDJSON line an event, with its time, each in one write, so that lines are whole and the file may be moved
 * away. A file that cannot be written is refused; if a write fails later, on a full disk, it is reported once and
 * the tail continues.
 */
export function openEventLog(
  file: string | undefined,
  { warn }: Pick<Notices, "warn">,
  clock: Pick<Clock, "now">,
): LogEvent<string> {
  if (file === undefined) return () => undefined;
  const append = (text: string): string | undefined => {
    try {
      appendFileSync(file, text);
      return undefined;
    } catch (cause) {
      return `--events "${withoutSecrets(file)}": ${cannotBeWritten(cause)}`;
    }
  };
  const refused = append("");
  if (refused !== undefined) throw usageFailure(refused, "check the folder and its permissions");
  let isSaid = false;
  let lost = 0;
  return ({ event, at = instant(clock.now()), ...facts }) => {
    // What failed may have left half a line: the next one begins behind it, and says how many are missing.
    const before = lost > 0 ? `\n${JSON.stringify({ event: "log_lost", at, lines: lost })}\n` : "";
    const line = escapeJsonText(JSON.stringify({ event, at, ...facts }));
    const problem = append(`${before}${hideSecrets(line)}\n`);
    lost = problem === undefined ? 0 : lost + 1;
    if (problem !== undefined && !isSaid) warn(`dexdata: ${problem}; the stream goes on`);
    isSaid ||= problem !== undefined;
  };
}
