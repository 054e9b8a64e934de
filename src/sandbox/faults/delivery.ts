import { STATUS_CODES } from "node:http";
import type { SandboxResponse } from "../exchange.ts";
import type { Fault } from "./fault.ts";

/** What to do with a connection, in order. Both ends close it; `reset` so that the other side's reads fail. */
export type DeliveryStep =
  | { readonly write: Buffer }
  | { readonly waitMs: number }
  | { readonly end: "reset" | "close" };

// A reset throws away what has not been read yet, so what was sent gets time to be.
const READING_MS = 25;
const TRICKLE_MS = 50;

/** How the answer goes out under a fault of delivery. HEAD has no body, hence `hasBody`. */
export function deliver(fault: Fault, response: SandboxResponse, hasBody: boolean): readonly DeliveryStep[] {
  const body = Buffer.from(response.body);
  const sent = hasBody ? body : Buffer.alloc(0);
  const head = writeHead(response, body.length, fault.kind === "reset-after");
  const [half, middle] = [Math.floor(sent.length / 2), Math.floor(head.length / 2)];
  const lost: readonly DeliveryStep[] = [{ waitMs: READING_MS }, { end: "reset" }];
  const { kind, amount = 0 } = fault;
  if (kind === "reset-before") return [{ end: "reset" }];
  if (kind === "reset-headers") return [{ write: head.subarray(0, middle) }, ...lost];
  if (kind === "reset-body") return [{ write: Buffer.concat([head, sent.subarray(0, half)]) }, ...lost];
  if (kind === "reset-after") return [{ write: Buffer.concat([head, sent]) }, ...lost];
  if (kind === "slow-headers") return [...trickle(head, amount), { write: sent }, { end: "close" }];
  if (kind === "slow-body") return [{ write: head }, ...trickle(sent, amount), { end: "close" }];
  // `truncate` is left.
  return [{ write: Buffer.concat([head, sent.subarray(0, half)]) }, { end: "close" }];
}

/** The head of an answer whose connection is to end, which only `reset-after` keeps to itself. */
function writeHead({ status, headers }: SandboxResponse, length: number, isKept: boolean): Buffer {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${length}`,
    `Connection: ${isKept ? "keep-alive" : "close"}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

/** In equal pieces over the time; what is shorter than the pieces goes byte by byte. */
function trickle(bytes: Buffer, milliseconds: number): readonly DeliveryStep[] {
  const pieces = Math.max(1, Math.min(bytes.length, Math.floor(milliseconds / TRICKLE_MS)));
  return Array.from({ length: pieces }, (_, index): readonly DeliveryStep[] => {
    const [from, to] = [index, index + 1].map((part) => Math.floor((part * bytes.length) / pieces));
    return [{ waitMs: milliseconds / pieces }, { write: bytes.subarray(from, to) }];
  }).flat();
}
