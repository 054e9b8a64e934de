import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { FaultyResponse } from "./faulty-answer.ts";
import type { Socket } from "node:net";
import { after } from "../timers.ts";
import type { SandboxResponse } from "../sandbox-exchange.ts";
import type { Fault } from "../fault-kinds.ts";

const READING_MS = 25;
const TRICKLE_MS = 50;

export function sendAnswer(message: IncomingMessage, reply: ServerResponse, response: FaultyResponse): void {
  const { delivery, status, headers } = response;
  if (delivery === undefined) {
    reply.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(response.body) });
    reply.end(response.body);
    return;
  }
  const body = Buffer.from(response.body);
  const head = writeHead(response, body.length, delivery.kind === "reset-after");
  deliver(message.socket, delivery, head, message.method === "HEAD" ? Buffer.alloc(0) : body);
}

/** Writes directly to the socket, because the HTTP server would correct the faults. */
function deliver(socket: Socket, { kind, amount = 0 }: Fault, head: Buffer, body: Buffer): void {
  const halfBody = Buffer.concat([head, half(body)]);
  if (kind === "reset-before") socket.resetAndDestroy();
  else if (kind === "reset-headers") writeAndReset(socket, half(head));
  else if (kind === "reset-body") writeAndReset(socket, halfBody);
  else if (kind === "reset-after") writeAndReset(socket, Buffer.concat([head, body]));
  else if (kind === "slow-headers") trickle(socket, head, amount, () => socket.end(body));
  else if (kind === "slow-body") {
    socket.write(head);
    trickle(socket, body, amount, () => socket.end());
  }
  // The only remaining kind is `truncate`.
  else socket.end(halfBody);
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}

/** Waits before the reset, because a reset discards data that the client has not yet read. */
function writeAndReset(socket: Socket, bytes: Buffer): void {
  socket.write(bytes, () => after(READING_MS, () => socket.resetAndDestroy()));
}

/** Sends equal pieces spread over this time, or single bytes if there are fewer bytes than pieces. */
function trickle(socket: Socket, bytes: Buffer, milliseconds: number, finish: () => void): void {
  const pieces = Math.max(1, Math.min(bytes.length, Math.floor(milliseconds / TRICKLE_MS)));
  const edge = (piece: number): number => Math.floor((piece * bytes.length) / pieces);
  let cancel: (() => void) | undefined;
  const send = (piece: number): void => {
    if (socket.destroyed) return;
    if (piece === pieces) return finish();
    const bytesOfPiece = bytes.subarray(edge(piece), edge(piece + 1));
    cancel = after(milliseconds / pieces, () => socket.write(bytesOfPiece, () => send(piece + 1)));
  };
  socket.once("close", () => cancel?.());
  send(0);
}

/** Announces that the connection will close, except for `reset-after`. */
function writeHead({ status, headers }: SandboxResponse, length: number, isKept: boolean): Buffer {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${length}`,
    `Connection: ${isKept ? "keep-alive" : "close"}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
