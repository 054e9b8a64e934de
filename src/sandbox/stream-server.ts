import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { SandboxHost } from "./sandbox-exchange.ts";
import { openWithFaults } from "./apply-faults/faulty-stream.ts";
import { sendAnswer } from "./apply-faults/delivery.ts";
import { afterLatency, logRequest, readRequest, refusesHostless } from "./http-messages.ts";
import type { SandboxState } from "./service/state.ts";
import type { StreamSink } from "./streams/served-stream.ts";
import type { StreamHub } from "./streams/stream-hub.ts";
import { after, type WorkQueue } from "./timers.ts";

/** Bytes. 25 entries with the longest possible addresses need much less. */
const LONGEST_BODY = 64 * 1024;
/** How many milliseconds queued bytes wait for their reader after a stream ends. */
const PARTING_MS = 10_000;
const READING_MS = 25;

export function serveStreams(
  host: SandboxHost,
  state: SandboxState,
  hub: StreamHub,
  queue: WorkQueue,
): Server {
  return createServer({ requireHostHeader: false }, (message, reply) => {
    if (refusesHostless(message, reply)) return;
    const started = state.options.elapsed();
    readBody(message, (body) => {
      const answer = (): void => {
        const request = { ...readRequest(message, host), body };
        const cancel = queue.start(openWithFaults(request, state, hub), ({ response, start }) => {
          if (start === undefined) sendAnswer(message, reply, response);
          else {
            reply.writeHead(response.status, response.headers);
            // A stream may be silent for a while, so send the headers now to show the reader that it is open.
            reply.flushHeaders();
            const stream = start(sinkOf(reply), () => cut(reply));
            reply.once("close", () => stream.drop());
          }
          logRequest(request, response, state.options.elapsed() - started, state);
        });
        reply.once("close", cancel);
      };
      afterLatency(state, reply, answer);
    });
  });
}

/** Chunks beyond the maximum length are dropped, so the JSON is incomplete and gets rejected. */
function readBody(message: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  message.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= LONGEST_BODY) chunks.push(chunk);
  });
  message.once("end", () => done(Buffer.concat(chunks).toString("utf8")));
}

/** Waits briefly, because destroying a socket discards unread bytes. */
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
