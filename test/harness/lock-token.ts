import { existsSync, readFileSync } from "node:fs";
import { createToken } from "../../src/base/files/lock-token.ts";

/** Returns a lock in the format of this process, with some members replaced. */
export function lockText(changed: Readonly<Record<string, unknown>> = {}): string {
  const own: unknown = JSON.parse(
    createToken({ random: () => 0, pid: process.pid, platform: process.platform }).token(0),
  );
  return `${JSON.stringify({ ...(typeof own === "object" ? own : {}), ...changed })}\n`;
}

/** Returns the lock of a running process: the parent, which outlives any test. */
export function lockOfRunning(): string {
  const file = `/proc/${process.ppid}/stat`;
  const fields = existsSync(file) ? readFileSync(file, "latin1").split(") ").at(-1)?.split(" ") : undefined;
  return lockText({ pid: process.ppid, started: fields?.[19] });
}

/** A process ID that is never used: above the maximum of Linux. */
export const freeProcessId = 4_194_305;

/** Returns a lock left by kill -9. */
export function lockOfGone(): string {
  return lockText({ pid: freeProcessId, started: "1" });
}
