import { connect } from "node:net";
import type { OpenSockets } from "./open-sockets.ts";
import { unbracketed } from "./proxy.ts";

/** Milliseconds. */
const patience = 2000;

/**
 * Whether plain HTTP is spoken where TLS was expected. Most servers reply to a TLS handshake in plain text, which OpenSSL
 * recognizes; some only close. The question has no key and no path.
 */
export async function speaksPlainHttp({ hostname, port, host }: URL, sockets: OpenSockets): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host: unbracketed(hostname), port: port === "" ? 443 : Number(port) });
    sockets.add(socket);
    socket.setTimeout(patience, () => socket.destroy());
    socket.once("connect", () =>
      socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`),
    );
    socket.once("data", (chunk: Buffer) => {
      resolve(chunk.toString("latin1").startsWith("HTTP/"));
      socket.destroy();
    });
    socket.once("error", () => undefined).once("close", () => resolve(false));
  });
}
