import type { Agent } from "undici";
import type { Clock, Context } from "../model/context.ts";
import { createAgent } from "./agent.ts";
import { readAnswerBody } from "./answer-body.ts";
import { connectionFailure, type Peer, timeoutFailure } from "./connection-failure.ts";

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

async function exchange(
  agent: Agent,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Answer> {
  const response = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: "GET",
    headers: { accept: "application/json", "accept-encoding": "gzip", ...headers },
    signal,
  });
  const received = firstValues(response.headers);
  const body = await readAnswerBody(response, received, url);
  return { status: response.statusCode, headers: received, body };
}

export function firstValues(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const text = typeof value === "string" ? value : value?.[0];
    if (text !== undefined) first.set(name.toLowerCase(), text);
  }
  return first;
}

export async function withDeadline<T>(
  clock: Clock,
  options: SendOptions,
  send: (signal: AbortSignal) => Promise<T>,
  peer: Peer,
): Promise<T> {
  const late = new AbortController();
  const done = new AbortController();
  clock.sleep(options.timeout, done.signal).then(
    () => late.abort(),
    () => undefined,
  );
  try {
    const signal = AbortSignal.any([options.signal, late.signal]);
    // undici heeds the signal only once it is connected; until then this alone ends the wait.
    return await Promise.race([send(signal), whenAborted(signal, done.signal)]);
  } catch (cause) {
    if (options.signal.aborted) throw options.signal.reason;
    if (late.signal.aborted) throw timeoutFailure(options.timeout, peer);
    throw connectionFailure(cause, peer);
  } finally {
    done.abort();
  }
}

/** Stops listening when `done` aborts: a listener would keep the signal, and with it the answer, for the whole run. */
function whenAborted(signal: AbortSignal, done: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true, signal: done });
  });
}
