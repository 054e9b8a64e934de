import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { SandboxHost } from "../exchange.ts";
import { faultySink } from "../faults/faulty-sink.ts";
import { openWithFaults } from "../faults/open-with-faults.ts";
import { sendAnswer } from "../faults/send-answer.ts";
import { logRequest, readRequest } from "../http-messages.ts";
import { refusesHostless } from "../plain-refusal.ts";
import type { SandboxState } from "../state.ts";
import type { StreamSink } from "./event-stream.ts";
import type { StreamHub } from "./stream-hub.ts";
import { after } from "./ticker.ts";

/** Room for 25 entries with the longest addresses there are, many times over. */
const LONGEST_BODY = 64 * 1024;
/** So long may what is queued wait for its reader when the stream is over. */
const PARTING_MS = 10_000;
const READING_MS = 25;

/** A streaming host, not yet listening. */
export function serveStreams(host: SandboxHost, state: SandboxState, hub: StreamHub): Server {
  return createServer({ requireHostHeader: false }, (message, reply) => {
    if (refusesHostless(message, reply)) return;
    const started = state.options.elapsed();
    readBody(message, (body) => {
      const answer = (): void => {
        const request = { ...readRequest(message, host), body };
        const opening = openWithFaults(request, state, hub);
        if (opening.kind === "refused") {
          sendAnswer(message, reply, opening.response);
          logRequest(request, opening.response, state.options.elapsed() - started, state);
          return;
        }
        reply.writeHead(opening.status, opening.headers);
        // A stream may be silent for long; its reader is to know at once that it is open.
        reply.flushHeaders();
        const stream = opening.start(faultySink(sinkOf(reply), opening.fault, () => cut(reply)));
        reply.once("close", () => stream.drop());
        logRequest(request, opening, state.options.elapsed() - started, state);
      };
      const latency = state.options.latencyMs ?? 0;
      if (latency === 0) return answer();
      reply.once("close", after(latency, answer));
    });
  });
}

/** What lies beyond the longest body is not kept: the JSON then breaks off, and the request is refused for that. */
function readBody(message: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  message.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= LONGEST_BODY) chunks.push(chunk);
  });
  message.once("end", () => done(Buffer.concat(chunks).toString("utf8")));
}

/** Not before what has been written had time to be read: the end of a socket throws it away. */
function cut(reply: ServerResponse): void {
  reply.once(
    "close",
    after(READING_MS, () => reply.destroy()),
  );
}

function sinkOf(reply: ServerResponse): StreamSink {
  return {
    write: (frame) => {
      reply.write(frame);
    },
    queued: () => reply.writableLength,
    end: () => {
      reply.end();
      reply.once(
        "close",
        after(PARTING_MS, () => reply.destroy()),
      );
    },
  };
}
