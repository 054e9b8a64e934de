import { createClock } from "../../bin/process-clock.ts";
import { holdLock } from "../../src/files/file-lock.ts";

/** Bundled and run as a child process by `file-lock.test.ts`: takes a lock, says so, and has nothing else to do. */
const [file = ""] = process.argv.slice(2);
const context = { clock: createClock(), random: Math.random, signal: new AbortController().signal };

void holdLock(context, file).then((taken) =>
  process.stdout.write("release" in taken ? "held\n" : `${taken.holder}\n`),
);
