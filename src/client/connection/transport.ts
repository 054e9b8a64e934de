import { setMaxListeners } from "node:events";
import type { Clock, Context } from "../../context/context.ts";
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

/** What is given up when it takes too long, or nobody wants it any more: `outcome` then rejects with the reason. */
export interface UnderWay<T> {
  readonly outcome: Promise<T>;
  readonly giveUp: (reason: unknown) => void;
}

/** One connection pool for a run. Redirects are not followed: the key must not travel to another origin. */
export function createTransport({ clock, env }: Pick<Context, "clock" | "env">): Transport {
  const { agent, peerOf, close } = createAgent(env);
  return {
    get: (url, headers, options) =>
      inTime(
        clock,
        options,
        () => exchange(agent, url, headers),
        () => peerOf(url),
      ),
    close,
  };
}

/** What takes a signal, or the failure that it took too long; a rejection tells why it could not be had. */
export async function withDeadline<T>(
  clock: Clock,
  options: SendOptions,
  send: (signal: AbortSignal) => Promise<T>,
  peer: Peer,
): Promise<T> {
  return await inTime(
    clock,
    options,
    () => withSignal(send),
    () => peer,
  );
}

/** Its listener and its timer are gone with it: the signal may be that of a tail that runs for weeks. */
async function inTime<T>(
  clock: Clock,
  { timeout, signal }: SendOptions,
  begin: () => UnderWay<T>,
  peer: () => Peer,
): Promise<T> {
  signal.throwIfAborted();
  const { outcome, giveUp } = begin();
  let isLate = false;
  const waiting = new AbortController();
  const late = (): void => {
    isLate = true;
    giveUp(new Error("too late"));
  };
  clock.sleep(timeout, waiting.signal).then(late, () => undefined);
  const abort = (): void => giveUp(signal.reason);
  // Any number of requests may be under way; Node would take eleven listeners for a leak, and say so to the user.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await outcome;
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (isLate) throw timeoutFailure(timeout, peer());
    throw connectionFailure(cause, peer());
  } finally {
    waiting.abort("it is over");
    signal.removeEventListener("abort", abort);
  }
}

/** undici heeds a signal only once it is connected; until then the rejection alone ends the wait. */
function withSignal<T>(send: (signal: AbortSignal) => Promise<T>): UnderWay<T> {
  const controller = new AbortController();
  let giveUp = (reason: unknown): void => controller.abort(reason);
  const outcome = new Promise<T>((resolve, reject) => {
    giveUp = (reason): void => {
      controller.abort(reason);
      reject(reason);
    };
    send(controller.signal).then(resolve, reject);
  });
  return { outcome, giveUp };
}
