/* The only timers of the sandbox. They are part of the simulated service, so they do not use a Context. */
/* oxlint-disable no-restricted-globals */
import type { Work } from "./work.ts";

/** In milliseconds. Node.js runs timers that are longer at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** `turn` returns the milliseconds until the next call, or undefined to wait for `wake`. */
export function makeTicker(turn: () => number | undefined) {
  let cancel: (() => void) | undefined;
  let isStopped = false;

  function schedule(milliseconds: number): void {
    if (milliseconds > 0) {
      const timer = setTimeout(run, milliseconds);
      cancel = () => clearTimeout(timer);
    } else {
      // Runs after sockets have been served. A 0 ms timer might run before that.
      const immediate = setImmediate(run);
      cancel = () => clearImmediate(immediate);
    }
  }

  function run(): void {
    cancel = undefined;
    const wait = turn();
    if (wait !== undefined && !isStopped) schedule(wait);
  }

  return {
    wake: (): void => {
      if (cancel === undefined && !isStopped) schedule(0);
    },
    stop: (): void => {
      isStopped = true;
      cancel?.();
    },
  };
}

/** Call the returned function to cancel. */
export function after(milliseconds: number, act: () => void): () => void {
  const timer = setTimeout(act, Math.min(milliseconds, LONGEST_TIMER));
  return () => clearTimeout(timer);
}

/** Milliseconds of work between two looks at the sockets and signals of the process. */
const TURN_MS = 10;

export type WorkQueue = ReturnType<typeof createWorkQueue>;

/** `elapsed` is in real milliseconds. */
export function createWorkQueue(elapsed: () => number) {
  /** Each does a step, and returns whether there are more. */
  const steps: (() => boolean)[] = [];
  const ticker = makeTicker(() => {
    const end = elapsed() + TURN_MS;
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      if (step()) steps.push(step);
      if (elapsed() >= end) break;
    }
    return steps.length > 0 ? 0 : undefined;
  });
  return {
    /** Does the first step at once, which is all that most requests need. Call the returned function to cancel. */
    start: <Result>(work: Work<Result>, done: (result: Result) => void): (() => void) => {
      let isCancelled = false;
      const step = (): boolean => {
        if (isCancelled) return false;
        const { done: isDone, value } = work.next();
        if (isDone === true) done(value);
        return isDone !== true;
      };
      if (step()) {
        steps.push(step);
        ticker.wake();
      }
      return () => {
        isCancelled = true;
      };
    },
    stop: ticker.stop,
  };
}
