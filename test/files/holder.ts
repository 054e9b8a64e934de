import { createClock } from "../../bin/process-clock.ts";
import { holdLock } from "../../src/base/files/file-lock.ts";

/**
 * Bundled and run as a child process by `file-lock.test.ts`: takes a lock, reports it, and has no other work.
 */
const [file = ""] = process.argv.slice(2);
const context = {
  clock: createClock(),
  random: Math.random,
  signal: new AbortController().signal,
  pid: process.pid,
  platform: process.platform,
};

void holdLock(context, file).then((taken) =>
  process.stdout.write("release" in taken ? "held\n" : `${taken.holder}\n`),
);
