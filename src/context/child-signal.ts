import { setMaxListeners } from "node:events";

/** Also aborts when its parent aborts. `release` detaches it from the parent. */
export interface ChildSignal {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  readonly release: () => void;
}

/** With `AbortSignal.any`, the parent keeps 64 bytes per finished signal on Node 20: 12 MB after 200,000 signals. */
export function childOf(parent: AbortSignal): ChildSignal {
  const controller = new AbortController();
  // A hundred connections may listen to a signal, and by default Node warns about a leak at eleven listeners.
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
