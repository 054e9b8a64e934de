import { choiceFailure } from "../api/read-choice.ts";
import { isObject, member } from "../base/json/json-scan.ts";
import { assetOf, jsonLine } from "../client/stream-event.ts";
import { invalidInput, invalidResponse, usageFailure } from "../base/failure.ts";
import { connectionsOfPlan } from "../api/feed.ts";
import { feedNames, feeds, feedsTaking, readSince, streamIntervals } from "../api/feeds.ts";
import { LiveStream } from "../client/stream.ts";
import { type OpenLibrary, rowReader } from "./call-endpoint.ts";
import { aFunction, aString, checkOptions, oneOf, readLater, type TypeCheck } from "./check-options.ts";
import type { Asset, StreamEvent, StreamNotice, StreamOptions } from "./public-types.ts";
import { withOptions } from "./library-failure.ts";
import { optionNames as clientOptions } from "./read-options.ts";
import { timeText } from "./read-params.ts";
import { type Gap, defaultLimits, type Connection, type LiveHandlers } from "../client/stream-options.ts";
import { childOf } from "../base/context/context.ts";

/**
 * Throws a Failure that another connection would not fix. Also ends when the client's signal aborts or the caller
 * leaves the loop. All connections are then closed. A slow consumer slows down the sockets.
 */
export function streamEvents(
  opened: OpenLibrary,
  options: StreamOptions,
): AsyncIterable<StreamEvent<unknown>> {
  const wishes = readStream(options, opened.now());
  return { [Symbol.asyncIterator]: () => leavable((left) => listen(opened, options, wishes, left)) };
}

/** A plain generator would not end until the next event. */
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
      left.abort(new Error("the loop over the stream ended"));
      await events.return(undefined);
      return done;
    },
  };
}

async function* listen(
  { client, hasTexts }: OpenLibrary,
  { onInvalid = "fail", onNotice = () => undefined }: StreamOptions,
  { feed, kind, params, subjects }: ReturnType<typeof readStream>,
  left: AbortSignal,
): AsyncGenerator<StreamEvent<unknown>> {
  const { target, ledger, opening } = client;
  const read = rowReader(kind.event.record, hasTexts);
  const ending = childOf(client.signal);
  left.addEventListener("abort", () => ending.abort(left.reason), { once: true });
  const handover = createHandover<StreamEvent<unknown>>(ending.signal);
  const stream = new LiveStream(
    {
      ...opening,
      ...defaultLimits,
      command: "stream",
      feed,
      kind,
      params,
      since: () => undefined,
      cap: connectionsOfPlan[target.tier],
      onInvalid,
      suspects: undefined,
    },
    {
      ...noticesOf(onNotice),
      events: async (_, events, { now }) => {
        const items = events.map((event) => {
          const text = jsonLine(event);
          if (text === undefined) throw invalidResponse(`event "${event.name}" is not valid JSON`);
          return {
            event: event.name,
            asset: assetOf(event),
            received: new Date(now),
            data: read(text),
            text,
          };
        });
        await handover.give(items);
        const spent = await ledger.recorded();
        if (spent !== undefined) throw spent;
      },
    },
  );
  const running = stream
    .run(subjects, ending.signal)
    .catch((cause: unknown) => handover.fail(withOptions(cause, allOptions)));
  try {
    yield* handover.taken();
  } finally {
    ending.abort("the loop over the stream ended");
    await running;
    ending.release();
  }
}

/** Each producer waits until all its items have been taken. `signal` aborts when the consumer has stopped. */
function createHandover<T>(signal: AbortSignal) {
  const waiting: { readonly items: readonly T[]; readonly done: () => void }[] = [];
  let failure: { readonly cause: unknown } | undefined;
  let wake: (() => void) | undefined;
  signal.addEventListener("abort", () => {
    for (const { done } of waiting.splice(0)) done();
  });
  return {
    give: async (items: readonly T[]): Promise<void> =>
      await new Promise((done) => {
        if (signal.aborted) return done();
        waiting.push({ items, done });
        return wake?.();
      }),
    /** The consumer takes the remaining items before it receives the error. */
    fail: (cause: unknown): void => {
      failure = { cause };
      wake?.();
    },
    taken: async function* (): AsyncGenerator<T> {
      for (;;) {
        const next = waiting[0];
        if (next !== undefined) {
          yield* next.items;
          waiting.shift();
          next.done();
        } else if (failure !== undefined) throw failure.cause;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

const optionTypes: Readonly<Record<keyof StreamOptions, TypeCheck>> = {
  feed: aString,
  assets: readLater,
  by: aString,
  interval: aString,
  since: readLater,
  onInvalid: [(value) => value === "fail" || value === "drop", "fail or drop"],
  onNotice: aFunction,
};

const allOptions = [...clientOptions, ...Object.keys(optionTypes)];

/** `now` is in milliseconds since the epoch. */
function readStream(options: StreamOptions, now: number) {
  checkOptions(options, optionTypes, "stream");
  const feed = feeds[oneOf("feed", options.feed, feedNames)];
  const kind = options.by === undefined ? feed.kinds[0] : feed.kinds.find(({ by }) => by === options.by);
  if (kind === undefined) {
    const label = `by "${options.by}" for feed ${feed.name}`;
    throw choiceFailure(
      label,
      options.by ?? "",
      feed.kinds.map(({ by }) => by),
    );
  }
  const params = new Map<string, string>();
  for (const each of ["interval", "since"] as const)
    if (options[each] !== undefined && !feed.params.includes(each))
      throw usageFailure(`${each} requires feed: ${feedsTaking(each)}`);
  const { interval, since } = options;
  if (interval !== undefined) params.set("interval", oneOf("interval", interval, streamIntervals));
  if (since !== undefined) params.set("since", String(readSince("since", timeText("since", since), now)));
  return { feed, kind, params, subjects: readAssets(options.assets) };
}

function readAssets(assets: unknown): readonly Asset[] {
  if (!Array.isArray(assets)) throw invalidInput("assets", "must be an array of {network, address}");
  if (assets.length === 0) throw usageFailure("assets: must contain at least one asset");
  // Copied, because map() skips the holes of an array.
  return [...assets].map((asset: unknown, index) => {
    const [network, address] = [member(asset, "network"), member(asset, "address")];
    if (isObject(asset) && typeof network === "string" && typeof address === "string")
      return { ...asset, network, address };
    throw invalidInput(`assets[${index}]`, "must be {network, address}, both strings");
  });
}

/** The notices contain the messages that the command line would print to stderr. */
function noticesOf(tell: (notice: StreamNotice) => void): Omit<LiveHandlers, "events"> {
  const tellGap = ({ subjects }: Connection, { from, to, reason }: Gap): void =>
    tell({ kind: "gap", assets: subjects, from: new Date(from.now), to: new Date(to.now), reason });
  return {
    opened: (connection, _, gap) => {
      if (gap === undefined) tell({ kind: "open", assets: connection.subjects });
      else tellGap(connection, gap);
    },
    retrying: ({ subjects }, failure, wait) =>
      tell({ kind: "retry", assets: subjects, wait, reason: failure.message }),
    said: ({ subjects }, kind, text) => tell({ kind, assets: subjects, text }),
    skipped: ({ subjects }) => tell({ kind: "lost", assets: subjects, reason: "larger than 1 MiB" }),
    stray: () => undefined,
    missedBefore: tellGap,
    missed: tellGap,
    closed: () => undefined,
    ended: ({ subjects }, { message: reason }) => tell({ kind: "dropped", assets: subjects, reason }),
    dropped: (subjects, failure) => tell({ kind: "dropped", assets: subjects, reason: failure.message }),
  };
}
