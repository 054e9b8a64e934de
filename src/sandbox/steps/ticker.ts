/* The only timers of the sandbox. They are part of the simulated service, so they do not use a Context. */
/* oxlint-disable no-restricted-globals */

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
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
}
