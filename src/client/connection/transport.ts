import { setMaxListeners } from "node:events";
import type { Clock, Context } from "../../context/context.ts";
import { createAgent } from "./agent.ts";
import type { Answer } from "../answer/answer-body.ts";
import { connectionFailure, type Peer, timeoutFailure } from "./connection-failure.ts";
import { getAnswer } from "./http-get.ts";

export interface SendOptions {
  /** Milliseconds for connecting, headers and body together. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** One connection pool for a run. Redirects are not followed: the key must not travel to another origin. */
export function createTransport({ clock, env }: Pick<Context, "clock" | "env">) {
  const { agent, peerOf, close } = createAgent(env);
  return {
    get: async (
      url: URL,
      headers: Readonly<Record<string, string>>,
      options: SendOptions,
    ): Promise<Answer> => {
      const send = (signal: AbortSignal): Promise<Answer> => getAnswer(agent, url, headers, signal);
      return await withDeadline(clock, options, send, peerOf(url));
    },
    close,
  };
}

/**
 * What takes a signal, or the failure that it took too long; a rejection tells why it could not be had. undici heeds a signal
 * only once it is connected; until then the rejection alone ends the wait.
 */
export async function withDeadline<T>(
  clock: Clock,
  { timeout, signal }: SendOptions,
  send: (signal: AbortSignal) => Promise<T>,
  peer: Peer,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const outcome = new Promise<T>((resolve, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
    send(controller.signal).then(resolve, reject);
  });
  let isLate = false;
  const late = (): void => {
    isLate = true;
    controller.abort(new Error("too late"));
  };
  const waiting = new AbortController();
  clock.sleep(timeout, waiting.signal).then(late, () => undefined);
  const abort = (): void => controller.abort(signal.reason);
  // Any number of requests may be under way; Node would take eleven listeners for a leak, and say so to the user.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await outcome;
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (isLate) throw timeoutFailure(timeout, peer);
    throw connectionFailure(cause, peer);
  } finally {
    waiting.abort("it is over");
    signal.removeEventListener("abort", abort);
  }
}
