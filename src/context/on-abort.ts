const callsOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls once the signal aborts, until the returned function is called; never where it has aborted already. All who wait
 * for one signal share a listener: to add one and take it away again for each request takes as long as half of the rest.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  const calls = callsOf.get(signal) ?? listen(signal);
  calls.add(call);
  return () => calls.delete(call);
}

function listen(signal: AbortSignal): Set<() => void> {
  const calls = new Set<() => void>();
  callsOf.set(signal, calls);
  const callAll = (): void => {
    for (const call of calls) call();
  };
  signal.addEventListener("abort", callAll, { once: true });
  return calls;
}
