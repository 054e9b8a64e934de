import type { Clock } from "../context/context.ts";
import { fail, type Failure } from "../contract/failure.ts";
import type { Ending } from "./ending.ts";
import { createQuietWatch } from "./quiet-watch.ts";
import { nameOf, someOf } from "./shards.ts";
import type { Shard, TailHandlers } from "./shard-handlers.ts";
import { counted } from "../text/counted.ts";

interface Connection {
  readonly shard: Shard;
  readonly isOpen: boolean;
}

/**
 * The same handlers, with a clock for each connection: the stream ends when one of them has had no event for so many
 * milliseconds, open or not. The others may be as busy as they like: they would hide it.
 */
export function watchIdle(
  clock: Clock,
  idle: number | undefined,
  { signal, end }: Pick<Ending, "signal" | "end">,
  handlers: TailHandlers,
): TailHandlers {
  if (idle === undefined) return handlers;
  const connections = new Map<number, Connection>();
  const quiet = createQuietWatch<number>(clock, idle, signal, (numbers) => {
    const found = [...connections.values()].filter(({ shard }) => numbers.includes(shard.number));
    end(idleFailure(idle, found, connections.size));
  });
  const know = (shard: Shard, isOpen: boolean): void => {
    connections.set(shard.number, { shard, isOpen });
  };
  return {
    ...handlers,
    begun: (shard) => {
      know(shard, false);
      quiet.expect(shard.number);
      handlers.begun(shard);
    },
    opened: (shard, at, gap) => {
      know(shard, true);
      handlers.opened(shard, at, gap);
    },
    retrying: (shard, failure, wait) => {
      know(shard, false);
      handlers.retrying(shard, failure, wait);
    },
    events: async (shard, events, at) => {
      quiet.pause(shard.number);
      await handlers.events(shard, events, at);
      quiet.resume(shard.number);
    },
    closed: (shard, why) => {
      connections.delete(shard.number);
      quiet.forget(shard.number);
      handlers.closed(shard, why);
    },
  };
}

/** Where there are others, it says which of them were idle. */
function idleFailure(idle: number, found: readonly Connection[], of: number): Failure {
  const names = namesOf(found);
  const closed = found.filter(({ isOpen }) => !isOpen);
  return fail("idle", `no event came for ${idle / 1000} s${place(found, of)} (--idle-exit)`, {
    next:
      closed.length > 0
        ? `not connected at the end: ${someOf(namesOf(closed))}`
        : `${found.length === 1 ? "it was" : "they were"} open; look whether these are traded at all: ${someOf(names)}`,
    body: new Map([["assets_idle", JSON.stringify(names)]]),
  });
}

function place(found: readonly Connection[], of: number): string {
  if (of === 1) return "";
  const numbers = someOf(found.map(({ shard }) => String(shard.number)));
  const which = `${found.length === 1 ? "connection" : "connections"} ${numbers} of ${of}`;
  return ` on ${which} (${counted(namesOf(found).length, "asset")})`;
}

function namesOf(connections: readonly Connection[]): readonly string[] {
  return connections.flatMap(({ shard }) => shard.subjects).map(nameOf);
}
