import { existsSync, readFileSync } from "node:fs";
import { createToken } from "../../src/files/lock-token.ts";

/** A lock as this process writes it, with some of its members exchanged. */
export function lockText(changed: Readonly<Record<string, unknown>> = {}): string {
  const own: unknown = JSON.parse(createToken(() => 0).text(0));
  return `${JSON.stringify({ ...(typeof own === "object" ? own : {}), ...changed })}\n`;
}

/** A lock of a process that runs: of its parent, which lives longer than any test. */
export function lockOfRunning(): string {
  const file = `/proc/${process.ppid}/stat`;
  const fields = existsSync(file) ? readFileSync(file, "latin1").split(") ").at(-1)?.split(" ") : undefined;
  return lockText({ pid: process.ppid, started: fields?.[19] });
}

/** A process id that no process has: beyond the highest of Linux. */
export const freeProcessId = 4_194_305;

/** A lock that kill -9 left. */
export function lockOfGone(): string {
  return lockText({ pid: freeProcessId, started: "1" });
}
