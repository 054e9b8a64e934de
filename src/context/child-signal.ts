import { setMaxListeners } from "node:events";

/** A signal that aborts when its parent aborts or when `abort` is called. `release` detaches it from the parent. */
export interface ChildSignal {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  readonly release: () => void;
}

/**
 * Creates a child signal. `AbortSignal.any` is not suitable, because a stream creates signals for weeks, and on Node 20
 * the parent keeps 64 bytes for each finished signal. That adds up to 12 MB after 200,000 signals.
 */
export function childOf(parent: AbortSignal): ChildSignal {
  const controller = new AbortController();
  // Up to a hundred connections add a listener to the signal of their stream. By default, Node warns about a leak at
  // eleven listeners.
  setMaxListeners(0, controller.signal);
  const follow = (): void => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => parent.removeEventListener("abort", follow),
  };
}
