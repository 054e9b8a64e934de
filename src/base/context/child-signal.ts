import { setMaxListeners } from "node:events";

export type ChildSignal = ReturnType<typeof childOf>;

/**
 * Also aborts when its parent aborts. `release` detaches it from the parent. With `AbortSignal.any`, the parent keeps 64
 * bytes per finished signal on Node 20: 12 MB after 200,000 signals.
 */
export function childOf(parent: AbortSignal) {
  const controller = new AbortController();
  // A hundred connections may listen to a signal, and by default Node warns about a leak at eleven listeners.
  setMaxListeners(0, controller.signal);
  const follow = (): void => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason: unknown): void => controller.abort(reason),
    release: (): void => parent.removeEventListener("abort", follow),
  };
}
