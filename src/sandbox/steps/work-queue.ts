import { makeTicker } from "./ticker.ts";
import type { Work } from "./work.ts";

/** Milliseconds of work between two looks at the sockets and signals of the process. */
const TURN_MS = 10;

export interface WorkQueue {
  /** Does the first step at once, which is all that most requests need. Call the returned function to cancel. */
  readonly start: <Result>(work: Work<Result>, done: (result: Result) => void) => () => void;
  readonly stop: () => void;
}

/** `elapsed` is in real milliseconds. */
export function createWorkQueue(elapsed: () => number): WorkQueue {
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
    start: (work, done) => {
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
