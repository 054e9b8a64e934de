import type { Socket } from "node:net";

/** The sockets of a run that are not closed, those still connecting included. */
export interface OpenSockets {
  readonly add: (socket: Socket) => void;
  /** For a socket that another one speaks on: to destroy both crashes Node 20, and the outer takes it along. */
  readonly leave: (socket: Socket) => void;
  /** Those that are added later are destroyed at once. */
  readonly destroy: () => void;
}

/** undici leaves a socket that is still connecting to the system, for minutes: so each is noted until it is closed. */
export function createOpenSockets(): OpenSockets {
  const sockets = new Set<Socket>();
  let isOver = false;
  return {
    add: (socket) => {
      if (isOver) return void socket.destroy();
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    },
    leave: (socket) => {
      sockets.delete(socket);
    },
    destroy: () => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
