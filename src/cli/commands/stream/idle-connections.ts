import type { Clock } from "../../../base/context/context.ts";
import { formatDuration } from "../../../api/duration.ts";
import { fail, type Failure } from "../../../base/failure.ts";
import { counted, someOf } from "../../../base/text/counted.ts";
import type { Ending } from "../../../client/ending.ts";
import { createQuietWatch } from "../../run/quiet-watch.ts";
import { nameOf } from "../../../client/subject.ts";
import type { Shard, TailHandlers } from "../../../client/stream-options.ts";

interface Connection {
  readonly shard: Shard;
  readonly isOpen: boolean;
}

/**
 * Ends the stream when any connection, open or not, has had no event for this many milliseconds. A single timer would
 * not detect an idle connection while the others are busy.
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
  return {
    ...handlers,
    begun: (shard) => {
      connections.set(shard.number, { shard, isOpen: false });
      quiet.expect(shard.number);
      handlers.begun(shard);
    },
    opened: (shard, at, gap) => {
      connections.set(shard.number, { shard, isOpen: true });
      handlers.opened(shard, at, gap);
    },
    retrying: (shard, failure, wait) => {
      connections.set(shard.number, { shard, isOpen: false });
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

/** Names the idle connections if there are other connections too. */
function idleFailure(idle: number, found: readonly Connection[], of: number): Failure {
  const names = namesOf(found);
  const closed = found.filter(({ isOpen }) => !isOpen);
  return fail("idle", `no event for ${formatDuration(idle)}${place(found, of)} (--idle-exit)`, {
    next:
      closed.length > 0
        ? `not connected at the end: ${someOf(namesOf(closed))}`
        : `${found.length === 1 ? "the connection was" : "the connections were"} open; check that these are traded: ${someOf(names)}`,
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
