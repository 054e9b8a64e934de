import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Order, Verdict } from "./runner.ts";

/** A runner in a separate process, which is ended with all its child processes if an order takes too long. */
export interface Worker {
  readonly judge: (order: Order) => Promise<Verdict>;
  readonly end: () => void;
}

const TOO_LONG: Verdict = { isNoticed: true, by: ["no end within the time limit"] };

export function createWorker(program: string, limit: number): Worker {
  let runner: ChildProcess | undefined;
  const start = async (): Promise<ChildProcess> => {
    // The process leads its own group, so that hanging child processes of tests end with it.
    runner = fork(program, ["--runner"], { detached: true, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    await once(runner, "message");
    return runner;
  };
  const end = (): void => {
    const pid = runner?.pid;
    runner?.removeAllListeners();
    runner = undefined;
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  };
  return {
    judge: async (order) => {
      const child = runner ?? (await start());
      const verdict = await new Promise<Verdict>((resolve, reject) => {
        const timer = setTimeout(() => {
          end();
          resolve(TOO_LONG);
        }, limit);
        child.once("message", (answer: Verdict) => {
          clearTimeout(timer);
          resolve(answer);
        });
        child.once("exit", () => reject(new Error("a runner of mutants ended by itself")));
        child.send(order);
      });
      child.removeAllListeners();
      return verdict;
    },
    end,
  };
}
