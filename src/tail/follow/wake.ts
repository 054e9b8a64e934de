import type { Clock } from "../../context/context.ts";
import { childOf } from "../../context/child-signal.ts";

/** Lets the waiting between two reads end early. */
export interface Wake {
  /** There is a reason to read; however many come before the next read, they are one. */
  readonly call: () => void;
  readonly isCalled: () => boolean;
  /** A read begins, and what called for it is heard. */
  readonly answer: () => void;
  /** Until the time has passed or somebody calls; rejects with the signal's reason when that aborts. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

export function createWake(clock: Clock, signal: AbortSignal): Wake {
  let isCalled = false;
  let wakeUp: (() => void) | undefined;
  return {
    call: () => {
      isCalled = true;
      wakeUp?.();
    },
    isCalled: () => isCalled,
    answer: () => {
      isCalled = false;
    },
    sleep: async (milliseconds) => {
      const sleeping = childOf(signal);
      wakeUp = (): void => sleeping.abort("called");
      try {
        await clock.sleep(milliseconds, sleeping.signal);
      } catch (cause) {
        if (signal.aborted) throw signal.reason;
        if (!sleeping.signal.aborted) throw cause;
      } finally {
        wakeUp = undefined;
        sleeping.release();
      }
    },
  };
}
