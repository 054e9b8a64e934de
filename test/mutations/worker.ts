import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Order, Verdict } from "./runner.ts";

/** A runner in a process of its own, which is ended with all its own processes when an order takes too long. */
export interface Worker {
  readonly judge: (order: Order) => Promise<Verdict>;
  readonly end: () => void;
}

const TOO_LONG: Verdict = { isNoticed: true, by: ["no end within the time limit"] };

export function createWorker(program: string, limit: number): Worker {
  let runner: Promise<ChildProcess> | undefined;
  const end = (): void => {
    void runner?.then(killGroup);
    runner = undefined;
  };
  return {
    judge: async (order) => {
      runner ??= startRunner(program);
      const child = await runner;
      const judged = await new Promise<Verdict>((resolve, reject) => {
        const timer = setTimeout(() => {
          end();
          resolve(TOO_LONG);
        }, limit);
        child.once("message", (verdict: Verdict) => {
          clearTimeout(timer);
          resolve(verdict);
        });
        child.once("exit", () => reject(new Error("a runner of mutants ended by itself")));
        child.send(order);
      });
      child.removeAllListeners();
      return judged;
    },
    end,
  };
}

async function startRunner(program: string): Promise<ChildProcess> {
  const child = fork(program, ["--runner"], {
    detached: true,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  await once(child, "message");
  return child;
}

function killGroup({ pid }: ChildProcess): void {
  // The runner leads a group of its own; the tests that hang are in it.
  if (pid !== undefined) process.kill(-pid, "SIGKILL");
}
