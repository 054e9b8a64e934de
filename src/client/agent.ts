import { Socket } from "node:net";
import type * as undici from "undici";
import { Agent, buildConnector } from "./undici-parts.ts";

/** The connections of a run, or of one stream. */
export interface OwnAgent {
  readonly agent: undici.Agent;
  /** Whether any connection was made: until then it is the network that fails, not the service. */
  readonly hasConnected: () => boolean;
  /** Destroys every socket at once: at the end nobody waits for what is under way. */
  readonly close: () => Promise<void>;
}

const maxHeaderBytes = 64 * 1024;

/** No time-out of undici's own: whoever sends has a deadline over connecting, headers and body, or wants none. */
export function createAgent(): OwnAgent {
  const sockets = new Set<Socket>();
  let isConnected = false;
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: connectorInto(sockets, () => {
      isConnected = true;
    }),
    maxHeaderSize: maxHeaderBytes,
    pipelining: 1,
  });
  return {
    agent,
    hasConnected: () => isConnected,
    close: async () => {
      const destroyed = agent.destroy();
      for (const socket of sockets) socket.destroy();
      await destroyed;
    },
  };
}

/** undici leaves a socket that is still connecting to the system, for minutes: so each is noted until it is closed. */
function connectorInto(sockets: Set<Socket>, connected: () => void): undici.buildConnector.connector {
  const connect = buildConnector({ timeout: 0 });
  return (options, callback) => {
    const socket: unknown = connect(options, (...outcome) => {
      if (outcome[0] === null) connected();
      callback(...outcome);
    });
    if (!(socket instanceof Socket)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
}
