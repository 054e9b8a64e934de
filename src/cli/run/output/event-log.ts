import { invalidInput } from "../../../base/failure.ts";
import { escapeJsonText } from "../../../base/json/json-text.ts";
import { hideSecrets, withoutSecrets } from "../../../base/key.ts";
import { openLogFile } from "../../../base/files/log-file.ts";
import { lookAt } from "../../../base/files/paths.ts";
import type { Clock } from "../../../base/context/context.ts";
import { hasFields } from "../../../base/files/file-pattern.ts";
import type { Report } from "../report.ts";
import { instant } from "../../../base/text/words.ts";
import { createRepeatLimiter } from "../repeat-limiter.ts";

interface LoggedEvent<Name extends string> {
  readonly event: Name;
  /** Defaults to the time of logging. */
  readonly at?: string;
  readonly [name: string]: unknown;
}

export type LogEvent<Name extends string> = (event: LoggedEvent<Name>) => void;

/** The file must have a fixed name. */
export function checkEventsFile(file: string | undefined): void {
  if (file === undefined || !hasFields(file)) return;
  throw invalidInput(
    `--events "${withoutSecrets(file)}"`,
    "must be the name of one file, without % or { }",
    "remove them; to rotate the file, use logrotate, which can move it while dexdata is writing",
  );
}

/**
 * Each NDJSON line is written at once, so lines stay complete and the file can be moved during the run. A file that
 * cannot be opened is rejected. Of a series of later write failures, the first is reported, and the run continues.
 */
export function openEventLog(
  file: string | undefined,
  { warn }: Pick<Report, "warn">,
  clock: Pick<Clock, "now" | "elapsed">,
): LogEvent<string> {
  if (file === undefined) return () => undefined;
  const label = `--events "${withoutSecrets(file)}"`;
  const timesToTell = createRepeatLimiter(clock);
  const append = openLogFile({
    file,
    label,
    onProblem: (problem) => {
      if (timesToTell(problem) !== undefined) warn(`${problem}; the run continues`);
    },
  });
  // What this run prints may be in the same file as /dev/stderr.
  const isPrinted = /^\/(?:dev\/(?:std|fd)|proc\/)/u.test(file);
  const size = (): number => (isPrinted ? 0 : (lookAt(file)?.size ?? 0));
  let lost = 0;
  /** The size after the last line of this run. A file that was moved or truncated is smaller. */
  let end = Number.POSITIVE_INFINITY;
  let isShared = false;
  return ({ event, at = instant(clock.now()), ...facts }) => {
    // A failed write may have left a partial line, so the log starts a new one and records how many lines are missing.
    const before = lost > 0 ? `\n${JSON.stringify({ event: "log_lost", at, lines: lost })}\n` : "";
    const line = escapeJsonText(JSON.stringify({ event, at, ...facts }));
    // The next run would take the lines of the other one for the end of this one.
    if (!isShared && size() > end) {
      isShared = true;
      warn(
        `${label}: something else also writes to this file, perhaps another run; use a different file for each run`,
      );
    }
    lost = append(`${before}${hideSecrets(line)}\n`) ? 0 : lost + 1;
    end = size();
  };
}
