/* The only timers of the streams. They are waits of the service, not of the program: nothing of them goes through a
   Context. */
/* oxlint-disable no-restricted-globals */

export interface Ticker {
  /** Takes turns from now on, if it does not already. */
  readonly wake: () => void;
  readonly stop: () => void;
}

/** @param turn returns the milliseconds until the next one, undefined to sleep until `wake` */
export function makeTicker(turn: () => number | undefined): Ticker {
  let cancel: (() => void) | undefined;
  let isStopped = false;

  function schedule(milliseconds: number): void {
    if (milliseconds > 0) {
      const timer = setTimeout(run, milliseconds);
      cancel = () => clearTimeout(timer);
    } else {
      // After the sockets have been served, unlike a timer of 0 ms, which may come before them.
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
    wake: () => {
      if (cancel === undefined && !isStopped) schedule(0);
    },
    stop: () => {
      isStopped = true;
      cancel?.();
    },
  };
}

/** Acts once, unless it is called off. */
export function after(milliseconds: number, act: () => void): () => void {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
}
