import type { Socket } from "node:net";

/**
 * The sockets of a run that are not closed, those still connecting included. undici leaves a socket that is still connecting
 * to the system, for minutes: so each is noted until it is closed.
 */
export class OpenSockets {
  /** The proxy that the host is asked through, as messages show it; known once a socket was opened. */
  proxy: string | undefined;
  readonly #sockets = new Set<Socket>();
  #isOver = false;

  add(socket: Socket): void {
    if (this.#isOver) return void socket.destroy();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** For a socket that another one speaks on: to destroy both crashes Node 20, and the outer takes it along. */
  leave(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  /** Those that are added later are destroyed at once. */
  destroy(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}
