import { appendFileSync } from "node:fs";
import { usageFailure } from "../../model/failure.ts";
import { escapeJsonText } from "../../model/json-text.ts";
import { hideSecrets, withoutSecrets } from "../../model/key.ts";
import { errorCode } from "../../model/error-code.ts";
import type { Notices } from "../notices.ts";

/** What happened to a tail: one line of `--events`. */
export interface LoggedEvent<Name extends string> {
  readonly event: Name;
  readonly [name: string]: unknown;
}

export type LogEvent<Name extends string> = (event: LoggedEvent<Name>) => void;

/**
 * Appends one NDJSON line an event, each in one write, so that lines are whole and the file may be moved away. A file
 * that cannot be written is refused; one that fails later, on a full disk, is said once and the tail goes on.
 */
export function openEventLog(file: string | undefined, { warn }: Pick<Notices, "warn">): LogEvent<string> {
  if (file === undefined) return () => undefined;
  const append = (text: string): string | undefined => {
    try {
      appendFileSync(file, text);
      return undefined;
    } catch (cause) {
      return `--events "${withoutSecrets(file)}": cannot be written (${errorCode(cause)})`;
    }
  };
  const refused = append("");
  if (refused !== undefined) throw usageFailure(refused, "check the folder and its permissions");
  let isSaid = false;
  let lost = 0;
  return (event) => {
    // What failed may have left half a line: the next one begins behind it, and says how many are missing.
    const before = lost > 0 ? `\n${JSON.stringify({ event: "log_lost", lines: lost })}\n` : "";
    const problem = append(`${before}${hideSecrets(escapeJsonText(JSON.stringify(event)))}\n`);
    lost = problem === undefined ? 0 : lost + 1;
    if (problem !== undefined && !isSaid) warn(`dexdata: ${problem}; the stream goes on`);
    isSaid ||= problem !== undefined;
  };
}
