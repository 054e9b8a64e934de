import { childOf } from "../../model/child-signal.ts";
import type { Clock, Context } from "../../model/context.ts";
import { createAgent } from "./agent.ts";
import { connectionFailure, type Peer, timeoutFailure } from "./connection-failure.ts";
import { exchange } from "./exchange.ts";

export interface Answer {
  readonly status: number;
  /** Lower-case names; of a repeated header the first value. */
  readonly headers: ReadonlyMap<string, string>;
  /** Decoded: one gzip layer at most is taken off. */
  readonly body: Uint8Array;
}

export interface SendOptions {
  /** Milliseconds for connecting, headers and body together. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

export interface Transport {
  readonly get: (
    url: URL,
    headers: Readonly<Record<string, string>>,
    options: SendOptions,
  ) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

/** One connection pool for a run. Redirects are not followed: the key must not travel to another origin. */
export function createTransport({ clock, env }: Pick<Context, "clock" | "env">): Transport {
  const { agent, peerOf, close } = createAgent(env);
  return {
    get: async (url, headers, options) =>
      await withDeadline(clock, options, (signal) => exchange(agent, url, headers, signal), peerOf(url)),
    close,
  };
}

export async function withDeadline<T>(
  clock: Clock,
  options: SendOptions,
  send: (signal: AbortSignal) => Promise<T>,
  peer: Peer,
): Promise<T> {
  const child = childOf(options.signal);
  const done = new AbortController();
  let isLate = false;
  clock.sleep(options.timeout, done.signal).then(
    () => {
      isLate = true;
      child.abort(new Error("too late"));
    },
    () => undefined,
  );
  try {
    // undici heeds the signal only once it is connected; until then this alone ends the wait.
    return await Promise.race([send(child.signal), whenAborted(child.signal)]);
  } catch (cause) {
    if (options.signal.aborted) throw options.signal.reason;
    if (isLate) throw timeoutFailure(options.timeout, peer);
    throw connectionFailure(cause, peer);
  } finally {
    child.release();
    done.abort(isOver);
  }
}

/** Given, or each request would make an error with a stack for nobody to read. */
const isOver = "over";

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
