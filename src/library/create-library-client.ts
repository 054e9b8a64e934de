import { type Client, createClient } from "../client/client.ts";
import { createPace, memoryStore } from "../client/pace.ts";
import { endpoints } from "../api/endpoints/all.ts";
import type { Context } from "../base/context/context.ts";
import { invalidInput, usageFailure } from "../base/failure.ts";
import { nameOptions } from "./library-failure.ts";
import { readReplacedClock, warningOfClock } from "../client/settings.ts";
import type { Target } from "../client/target.ts";
import { callOf, type LibraryWarnings } from "./call-endpoint.ts";
import { streamEvents } from "./library-stream.ts";
import type { ClientOptions, Meter, StreamEvent, StreamOptions } from "./public-types.ts";
import { readOptions } from "./read-options.ts";
import { asMethod } from "./read-params.ts";

/** Also has one method per endpoint, named after it; the package's types declare these methods. */
export interface LibraryClient {
  readonly [method: string]: unknown;
  readonly stream: (options: StreamOptions) => AsyncIterable<StreamEvent<unknown>>;
  readonly meter: Meter;
  readonly close: () => Promise<void>;
}

/** Uses the same hosts, rate limit, retries and paging as the command line. */
export function createLibraryClient(
  platform: Pick<Context, "clock" | "random"> & LibraryWarnings,
  options: ClientOptions = {},
): LibraryClient {
  const wishes = readOptions(options);
  const closing = new AbortController();
  const signal =
    options.signal === undefined ? closing.signal : AbortSignal.any([options.signal, closing.signal]);
  const context = { ...platform, env: options.environment ?? {}, signal };
  const onWait = options.onWait ?? (() => undefined);
  const client: Client = createClient(context, wishes.target, {
    ...wishes,
    pace: createPace(context, {
      rate: wishes.rate,
      store: memoryStore(),
      pausing: (milliseconds, line) =>
        onWait(milliseconds, nameOptions(line ?? "waiting for the rate limit")),
    }),
    requiredPlan: undefined,
    spent: undefined,
    observer: {
      answered: () => undefined,
      opened: () => undefined,
      applied: () => undefined,
      waiting: ({ milliseconds, failure }) => onWait(milliseconds, failure.message),
    },
  });
  const opened = {
    client,
    hasTexts: wishes.hasTexts,
    warn: platform.warn,
    now:
      options.now === undefined
        ? replacedClock(platform, context.env, wishes.target)
        : checkedTime(options.now),
  };
  const calls = endpoints.map(asMethod).map((endpoint) => [endpoint.command, callOf(opened, endpoint)]);
  return {
    ...Object.fromEntries(calls),
    stream: (asked) => streamEvents(opened, asked),
    meter: client.meter,
    close: async () => {
      closing.abort(usageFailure("the client is closed", "create another client"));
      await client.close();
    },
  };
}

function checkedTime(now: () => unknown): () => number {
  return () => {
    const date = now();
    const time = date instanceof Date ? date.getTime() : Number.NaN;
    if (Number.isNaN(time)) throw invalidInput("now", "must return a valid Date");
    return time;
  };
}

/** As on the command line, `DEXDATA_NOW` is one time that stands still. */
function replacedClock(
  { clock, warn }: Parameters<typeof createLibraryClient>[0],
  env: Context["env"],
  { rest }: Target,
): () => number {
  const source = "DEXDATA_NOW";
  const typed = env[source] ?? "";
  if (typed === "") return clock.now;
  const now = readReplacedClock(source, typed, clock.now());
  const warning = warningOfClock(rest, { source, now }, "client");
  if (warning !== undefined) warn(warning);
  return () => now;
}
