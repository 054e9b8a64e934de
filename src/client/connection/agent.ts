import type * as undici from "undici";
import { type Peer, peerName } from "./connection-failure.ts";
import { createConnector } from "./connector.ts";
import { createOpenSockets } from "./open-sockets.ts";
import type { Environment } from "./proxy.ts";
import { Agent } from "./undici-parts.ts";

/** The connections of a run, or of one stream. */
export interface OwnAgent {
  readonly agent: undici.Agent;
  /** Whom messages about a host name. */
  readonly peerOf: (url: URL) => Peer;
  /** Destroys every socket at once: at the end nobody waits for what is under way. */
  readonly close: () => Promise<void>;
}

const maxHeaderBytes = 64 * 1024;

/** No time-out of undici's own: whoever sends has a deadline over connecting, headers and body, or wants none. */
export function createAgent(env: Environment): OwnAgent {
  const sockets = createOpenSockets();
  let isConnected = false;
  let proxy: string | undefined;
  const connect = createConnector(env, {
    sockets,
    proxied: (shown) => {
      proxy = shown;
    },
  });
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      connect(options, (...outcome) => {
        if (outcome[0] === null) isConnected = true;
        callback(...outcome);
      });
    },
    maxHeaderSize: maxHeaderBytes,
    pipelining: 1,
  });
  return {
    agent,
    peerOf: ({ host }) => ({
      name: () => peerName(host, proxy),
      hasConnected: () => isConnected,
    }),
    close: async () => {
      const destroyed = agent.destroy();
      sockets.destroy();
      await destroyed;
    },
  };
}
