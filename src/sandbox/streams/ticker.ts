/* The only timers of the sandbox. They belong to the service, not to the program, so they do not use a Context. */
/* oxlint-disable no-restricted-globals */

interface Ticker {
  /** Starts taking turns, unless it already does. */
  readonly wake: () => void;
  readonly stop: () => void;
}

/** `turn` returns the milliseconds until the next one; undefined means to sleep until `wake`. */
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

/** Acts once, unless the function returned is called before. */
export function after(milliseconds: number, act: () => void): () => void {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
}
