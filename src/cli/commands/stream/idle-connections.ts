import type { Clock } from "../../../base/context/context.ts";
import { formatDuration } from "../../../api/duration.ts";
import { fail, type Failure } from "../../../base/failure.ts";
import { counted, someOf } from "../../../base/text/words.ts";
import type { Ending } from "../../../client/ending.ts";
import { createQuietWatch } from "../../run/quiet-watch.ts";
import { nameOf } from "../../../client/subject.ts";
import type { Connection, LiveHandlers } from "../../../client/stream-options.ts";

interface WatchedConnection {
  readonly connection: Connection;
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
  handlers: LiveHandlers,
): LiveHandlers {
  if (idle === undefined) return handlers;
  const connections = new Map<number, WatchedConnection>();
  const quiet = createQuietWatch<number>(clock, idle, signal, (numbers) => {
    const found = [...connections.values()].filter(({ connection }) => numbers.includes(connection.number));
    end(idleFailure(idle, found, connections.size));
  });
  return {
    ...handlers,
    begun: (connection) => {
      connections.set(connection.number, { connection, isOpen: false });
      quiet.expect(connection.number);
      handlers.begun(connection);
    },
    opened: (connection, at, gap) => {
      connections.set(connection.number, { connection, isOpen: true });
      handlers.opened(connection, at, gap);
    },
    retrying: (connection, failure, wait) => {
      connections.set(connection.number, { connection, isOpen: false });
      handlers.retrying(connection, failure, wait);
    },
    events: async (connection, events, at) => {
      quiet.pause(connection.number);
      await handlers.events(connection, events, at);
      quiet.resume(connection.number);
    },
    closed: (connection, why) => {
      connections.delete(connection.number);
      quiet.forget(connection.number);
      handlers.closed(connection, why);
    },
  };
}

/** Names the idle connections if there are other connections too. */
function idleFailure(idle: number, found: readonly WatchedConnection[], of: number): Failure {
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

function place(found: readonly WatchedConnection[], of: number): string {
  if (of === 1) return "";
  const numbers = someOf(found.map(({ connection }) => String(connection.number)));
  const which = `${found.length === 1 ? "connection" : "connections"} ${numbers} of ${of}`;
  return ` on ${which} (${counted(namesOf(found).length, "asset")})`;
}

function namesOf(connections: readonly WatchedConnection[]): readonly string[] {
  return connections.flatMap(({ connection }) => connection.subjects).map(nameOf);
}
