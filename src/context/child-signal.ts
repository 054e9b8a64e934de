import { setMaxListeners } from "node:events";

/** A signal that aborts with its parent, or on its own; `release` lets go of the parent. */
export interface ChildSignal {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  readonly release: () => void;
}

/**
 * Not `AbortSignal.any`: a tail makes them for weeks, and the parent is to remember none that is over. On Node 20 it keeps
 * 64 bytes for each: 12 MB after 200,000.
 */
export function childOf(parent: AbortSignal): ChildSignal {
  const controller = new AbortController();
  // A hundred connections listen to the one signal of their tail; Node would take eleven for a leak, and say so.
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
