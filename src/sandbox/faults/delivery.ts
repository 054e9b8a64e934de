import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { respond } from "../http-messages.ts";
import type { FaultyResponse } from "./faulty-answer.ts";
import type { Socket } from "node:net";
import { after } from "../streams/ticker.ts";
import type { SandboxResponse } from "../sandbox-exchange.ts";
import type { Fault } from "./fault-kinds.ts";

export function sendAnswer(message: IncomingMessage, reply: ServerResponse, response: FaultyResponse): void {
  const { delivery } = response;
  if (delivery === undefined) respond(reply, response);
  else sendSteps(message.socket, deliver(delivery, response, message.method !== "HEAD"));
}

/** Writes directly to the socket, because the HTTP server would correct the faults. */
function sendSteps(socket: Socket, steps: readonly DeliveryStep[]): void {
  let next = 0;
  let callOff: (() => void) | undefined;
  const go = (): void => {
    const step = steps[next];
    next += 1;
    if (step === undefined || socket.destroyed) return;
    if ("write" in step) socket.write(step.write, go);
    else if ("waitMs" in step) callOff = after(step.waitMs, go);
    else if (step.end === "reset") socket.resetAndDestroy();
    else socket.end();
  };
  socket.once("close", () => callOff?.());
  go();
}

/** Both kinds of `end` close the connection. After `reset`, the client's reads fail. */
type DeliveryStep =
  | { readonly write: Buffer }
  | { readonly waitMs: number }
  | { readonly end: "reset" | "close" };

const READING_MS = 25;
const TRICKLE_MS = 50;

/** `hasBody` is false for HEAD. */
function deliver(fault: Fault, response: SandboxResponse, hasBody: boolean): readonly DeliveryStep[] {
  const body = Buffer.from(response.body);
  const sent = hasBody ? body : Buffer.alloc(0);
  const head = writeHead(response, body.length, fault.kind === "reset-after");
  const [half, middle] = [Math.floor(sent.length / 2), Math.floor(head.length / 2)];
  const halfBody = Buffer.concat([head, sent.subarray(0, half)]);
  const { kind, amount = 0 } = fault;
  if (kind === "reset-before") return [{ end: "reset" }];
  if (kind === "reset-headers") return writeAndReset(head.subarray(0, middle));
  if (kind === "reset-body") return writeAndReset(halfBody);
  if (kind === "reset-after") return writeAndReset(Buffer.concat([head, sent]));
  if (kind === "slow-headers") return [...trickle(head, amount), { write: sent }, { end: "close" }];
  if (kind === "slow-body") return [{ write: head }, ...trickle(sent, amount), { end: "close" }];
  // The only remaining kind is `truncate`.
  return [{ write: halfBody }, { end: "close" }];
}

/** Waits before the reset, because a reset discards data that the client has not yet read. */
function writeAndReset(bytes: Buffer): readonly DeliveryStep[] {
  return [{ write: bytes }, { waitMs: READING_MS }, { end: "reset" }];
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

/** Sends equal pieces spread over this time, or single bytes if there are fewer bytes than pieces. */
function trickle(bytes: Buffer, milliseconds: number): readonly DeliveryStep[] {
  const pieces = Math.max(1, Math.min(bytes.length, Math.floor(milliseconds / TRICKLE_MS)));
  return Array.from({ length: pieces }, (_, index): readonly DeliveryStep[] => {
    const [from, to] = [index, index + 1].map((part) => Math.floor((part * bytes.length) / pieces));
    return [{ waitMs: milliseconds / pieces }, { write: bytes.subarray(from, to) }];
  }).flat();
}
