import { spawn } from "node:child_process";

/** The milliseconds that Node takes to start and to end on an idle machine. */
const ownTime = 50;

/**
 * Returns the promise's result, and fails if the promise takes longer than the given milliseconds. The time is measured
 * by a process that only waits: a busy machine slows both, so the test judges the program and not the machine.
 */
export async function inTime<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const waiting = spawn(process.execPath, ["-e", `setTimeout(() => undefined, ${milliseconds - ownTime})`]);
  const over = new Promise<never>((_, reject) => {
    waiting.once("exit", () => reject(new Error(`not done within ${milliseconds} ms`)));
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    waiting.removeAllListeners("exit");
    waiting.kill("SIGKILL");
  }
}
