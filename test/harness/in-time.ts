import { spawn } from "node:child_process";

/** What Node takes to start and to end on a machine that does nothing else, in milliseconds. */
const ownTime = 50;

/**
 * As the promise, which must settle within the milliseconds. They are those of a process that only waits: a busy machine
 * slows both, so a test judges the program and not the machine.
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
