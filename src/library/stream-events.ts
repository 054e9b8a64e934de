import type { Budget } from "../client/spending/budget.ts";
import type { Client } from "../client/client.ts";
import type { Pace } from "../client/pace/pace.ts";
import { isSkipped } from "../client/streams/received-event.ts";
import type { Context } from "../context/context.ts";
import { untrustedAnswer } from "../contract/failure.ts";
import { childOf } from "../context/child-signal.ts";
import { jsonLine, subjectOf } from "../tail/event-line.ts";
import { defaultSilence } from "../tail/shard.ts";
import { capOf } from "../tail/shards.ts";
import { createTail } from "../tail/tail.ts";
import { createHandover } from "./handover.ts";
import type { StreamEvent, StreamOptions } from "./public-types.ts";
import { rowReader } from "./read-row.ts";
import { readStream, type StreamWishes } from "./read-stream.ts";
import { noticesOf } from "./stream-notices.ts";

export interface OpenStreaming {
  readonly client: Client;
  readonly pace: Pace;
  readonly budget: Budget;
  readonly timeout: number;
  readonly hasTexts: boolean;
  readonly context: Pick<Context, "clock" | "env" | "random" | "signal">;
}

/**
 * Events as they come, for ever: it ends by a Failure that no further connection would change, by the client's signal, or
 * by leaving the loop, which closes every connection. A consumer that is slow slows the sockets.
 */
export function streamEvents(
  opened: OpenStreaming,
  options: StreamOptions,
): AsyncIterable<StreamEvent<unknown>> {
  const wishes = readStream(options, opened.context.clock.now());
  return { [Symbol.asyncIterator]: () => leavable((left) => listen(opened, options, wishes, left)) };
}

/** The iterator of a generator that `left` ends. A generator alone would end behind the event that it waits for. */
function leavable<T>(begin: (left: AbortSignal) => AsyncGenerator<T>): AsyncIterator<T> {
  const left = new AbortController();
  const events = begin(left.signal);
  const done = { done: true, value: undefined } as const;
  return {
    next: async () => {
      try {
        return await events.next();
      } catch (cause) {
        if (left.signal.aborted) return done;
        throw cause;
      }
    },
    return: async () => {
      left.abort(new Error("the loop over the stream was left"));
      await events.return(undefined);
      return done;
    },
  };
}

async function* listen(
  { client, pace, budget, timeout, hasTexts, context }: OpenStreaming,
  { onInvalid = "fail", onNotice = () => undefined }: StreamOptions,
  { feed, kind, params, subjects }: StreamWishes,
  left: AbortSignal,
): AsyncGenerator<StreamEvent<unknown>> {
  const { target } = client;
  const read = rowReader(kind.event.record, hasTexts);
  const ending = childOf(context.signal);
  left.addEventListener("abort", () => ending.abort(left.reason), { once: true });
  const notices = noticesOf(onNotice);
  const handover = createHandover<StreamEvent<unknown>>(ending.signal);
  const tail = createTail(
    context,
    { target, context, pace, timeout, command: "stream" },
    {
      feed,
      kind,
      params,
      cap: capOf(target.tier),
      onInvalid,
      limits: { feed, silence: defaultSilence, maxReconnects: undefined },
      suspects: undefined,
    },
    {
      ...notices,
      charged: () => undefined,
      events: async (shard, events, { now }) => {
        const claim = await budget.claim(events.length);
        await claim.settle(events.length);
        for (const event of events) if (isSkipped(event)) notices.skipped(shard);
        await handover.give(
          events
            .filter((event) => !isSkipped(event))
            .map((event) => {
              const text = jsonLine(event);
              if (text === undefined) throw untrustedAnswer(`an event ${event.name} is not JSON`);
              const asset = subjectOf(event, shard.subjects);
              return { event: event.name, asset, received: new Date(now), data: read(text), text };
            }),
        );
      },
    },
  );
  const running = tail.run(subjects, ending.signal).catch(handover.fail);
  try {
    yield* handover.taken();
  } finally {
    ending.abort("the loop over the stream was left");
    await running;
    ending.release();
  }
}
