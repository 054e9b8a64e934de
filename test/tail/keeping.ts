import { afterEachTest } from "../harness/after-tests.ts";
import type { StreamEvent } from "../../src/client/stream-event.ts";
import type { Target } from "../../src/client/target.ts";
import { Failure } from "../../src/base/failure.ts";
import { feeds } from "../../src/api/feeds.ts";
import { keepOpen } from "../../src/client/live/keep-open.ts";
import { openerOf } from "../../src/client/live/subscription.ts";
import { type Reply, type Script, slow, startScriptedServer } from "../harness/scripted-server.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";
import {
  type Gap,
  defaultLimits,
  type ConnectionOptions,
  type Subscription,
} from "../../src/client/stream-options.ts";

const stops: (() => Promise<void>)[] = [];
afterEachTest(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Returns a stream of these chunks, which then stays open or closes. */
export function stream(chunks: readonly string[], { stayOpen = true } = {}): Reply {
  return slow({ headers: { "content-type": "text/event-stream; charset=utf-8" }, chunks, stayOpen });
}

export function price(value: string, id?: string): string {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  return `event: token_price\ndata: {"p":"${value}"}\n${idLine}request_id: 0\n\n`;
}

export const ping = 'event: ping\ndata: {"time":1}\n\n';

export function streamError(message: string): string {
  return `event: error\ndata: ${JSON.stringify({ message })}\n\n`;
}

export interface Kept {
  readonly events: StreamEvent[];
  readonly gaps: Gap[];
  readonly waits: number[];
  readonly reasons: string[];
  readonly said: string[];
  readonly opened: () => number;
  readonly context: TestContext;
  readonly requests: Awaited<ReturnType<typeof startScriptedServer>>["requests"];
  readonly openRequests: () => number;
  /** Resolves when the condition holds; the timeout of the test limits it. */
  readonly until: (condition: () => boolean) => Promise<void>;
  /** Ends it, as Ctrl-C would. */
  readonly stop: () => void;
  /** The outcome. */
  readonly end: Promise<unknown>;
}

/** Keeps one connection open to a server that plays the script. */
export async function keep(
  script: Script,
  options: {
    readonly limits?: Partial<ConnectionOptions>;
    readonly random?: number;
    readonly subscription?: Partial<Subscription>;
    readonly onEvents?: (events: readonly StreamEvent[]) => Promise<void>;
    readonly key?: string;
  } = {},
): Promise<Kept> {
  const server = await startScriptedServer(script);
  const context = createTestContext({ flows: true, random: options.random ?? 0 });
  const target: Target = {
    rest: "http://127.0.0.1:9",
    streaming: server.url,
    tier: "pro",
    key: options.key,
    keySource: "a test",
    isSimulated: false,
  };
  const subscription: Subscription = {
    feed: feeds.prices,
    kind: feeds.prices.kinds[0],
    subjects: [{ network: "ethereum", address: "0xabc" }],
    params: new Map(),
    ...options.subscription,
  };
  const pace = {
    turn: async () => await Promise.resolve({ at: 0, before: 0 }),
    record: async () => await Promise.resolve(),
  };
  const opening = {
    target,
    context,
    pace,
    ledger: { check: async () => await Promise.resolve(), delivered: () => undefined },
    timeout: 86_400_000,
    command: "stream --feed prices",
    plan: { answered: () => undefined, required: undefined },
  };
  const stopping = new AbortController();
  const [events, gaps, waits, reasons, said]: [StreamEvent[], Gap[], number[], string[], string[]] = [
    [],
    [],
    [],
    [],
    [],
  ];
  let opened = 0;
  const end = keepOpen(
    context,
    openerOf({ ...opening, ...subscription }),
    {
      charged: () => undefined,
      lost: () => undefined,
      stray: () => undefined,
      opened: (_, gap) => {
        opened += 1;
        if (gap !== undefined) gaps.push(gap);
      },
      events: async (news) => {
        events.push(...news);
        await options.onEvents?.(news);
      },
      retrying: (failure, wait) => {
        reasons.push(failure.message);
        waits.push(wait);
      },
      said: (kind, text) => said.push(`${kind}: ${text}`),
    },
    { ...defaultLimits, feed: subscription.feed, ...options.limits },
    stopping.signal,
  ).catch((cause: unknown) => cause);
  stops.push(async () => {
    stopping.abort("the test is over");
    await end;
    await server.close();
  });
  return {
    events,
    gaps,
    waits,
    reasons,
    said,
    opened: () => opened,
    context,
    requests: server.requests,
    openRequests: server.openRequests,
    until: async (condition) => {
      while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
    },
    stop: () => stopping.abort("stopped"),
    end,
  };
}

export function failureOf(end: unknown): Failure {
  if (end instanceof Failure) return end;
  throw new Error(`no failure: ${String(end)}`);
}
