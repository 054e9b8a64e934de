import type { Agent, Dispatcher } from "undici";
import { firstValues } from "../connection/header-values.ts";
import { reasonOf } from "../connection/exchange.ts";
import { type ChunkQueue, type Chunks, createChunkQueue } from "./chunk-queue.ts";

/** An answer whose body is still to come. */
export interface Received {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** While nobody asks for the next chunks the socket is not read for long. */
  readonly body: Chunks;
}

/**
 * Asks, and gives the answer when its headers are there; until then the signal ends it. No stream of Node stands between
 * the socket and who reads: it would copy each chunk, and take longer than all that is done with it.
 */
export function receive(
  agent: Agent,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    let queue: ChunkQueue | undefined;
    let release: (() => void) | undefined;
    agent.dispatch(request, {
      onRequestStart: (controller) => {
        const abort = (): void => controller.abort(reasonOf(signal));
        release = () => signal.removeEventListener("abort", abort);
        if (signal.aborted) abort();
        else signal.addEventListener("abort", abort, { once: true });
      },
      onResponseStart: (controller, status, headers) => {
        // An answer before the answer, such as 103.
        if (status < 200) return;
        queue = createChunkQueue(controller);
        resolve({ status, headers: firstValues(headers), body: queue.taken });
      },
      onResponseData: (_, chunk) => queue?.add(chunk),
      onResponseEnd: () => {
        release?.();
        queue?.end();
      },
      onResponseError: (_, cause) => {
        release?.();
        queue?.fail(cause);
        reject(cause);
      },
    });
  });
}
