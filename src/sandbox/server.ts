import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type KeyedTier, sandboxKeys } from "./service/accounts.ts";
import type { SandboxHost, SandboxOptions, SandboxRequest } from "./sandbox-exchange.ts";
import type { Faults } from "./fault-kinds.ts";
import { answerWithFaults } from "./apply-faults/faulty-answer.ts";
import { sendAnswer } from "./apply-faults/delivery.ts";
import { afterLatency, answerUnreadable, logRequest, readRequest, refusesHostless } from "./http-messages.ts";
import { createSandboxState, type SandboxState, setFaults } from "./service/state.ts";
import { StreamHub } from "./streams/stream-hub.ts";
import { after, createWorkQueue, makeTicker, type WorkQueue } from "./timers.ts";
import { openWithFaults, type Responding } from "./apply-faults/faulty-stream.ts";
import type { StreamSink } from "./streams/served-stream.ts";
import type { Work } from "./work.ts";

/** The simulated service on its ports. */
export interface RunningSandbox {
  /** `http://127.0.0.1:PORT`, for keyless and free callers. */
  readonly restFree: string;
  /** For dev, pro and enterprise keys. */
  readonly restPaid: string;
  readonly streamFree: string;
  readonly streamPaid: string;
  readonly keys: Readonly<Record<KeyedTier, string>>;
  readonly setFaults: (faults: Faults) => void;
  /** Closes open connections immediately. */
  readonly close: () => Promise<void>;
}

// Anyone who could reach another network interface might mistake the simulated prices for real ones.
const LOOPBACK = "127.0.0.1";

/** Rejects if a port is in use. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const state = createSandboxState(options);
  const hub = new StreamHub(state);
  const ticker = makeTicker(() => hub.turn());
  hub.onWake = ticker.wake;
  const queue = createWorkQueue(options.elapsed);
  const rest: Respond = function* respond(request) {
    return { response: yield* answerWithFaults(request, state), start: undefined };
  };
  const streams: Respond = (request) => openWithFaults(request, state, hub);
  const servers = [
    serve("rest_free", state, queue, rest),
    serve("rest_paid", state, queue, rest),
    serve("stream_free", state, queue, streams),
    serve("stream_paid", state, queue, streams),
  ];
  for (const server of servers) answerUnreadable(server);
  const close = async (): Promise<void> => {
    ticker.stop();
    queue.stop();
    await Promise.all(servers.map(stop));
  };
  try {
    const { port } = state.options;
    const [restFree = "", restPaid = "", streamFree = "", streamPaid = ""] = await Promise.all(
      servers.map((server, index) => listen(server, port === 0 ? 0 : port + index)),
    );
    return {
      restFree,
      restPaid,
      streamFree,
      streamPaid,
      keys: sandboxKeys,
      setFaults: (faults) => setFaults(state, faults),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Milliseconds. This exceeds a minute, so a client that returns within a minute can reuse its connection. */
const keepAliveTimeout = 65_000;

/** Bytes. A POST of 25 subscriptions with the longest possible addresses needs much less. */
const LONGEST_BODY = 64 * 1024;
/** How many milliseconds queued bytes wait for their reader after a stream ends. */
const PARTING_MS = 10_000;
const READING_MS = 25;

type Respond = (request: SandboxRequest) => Work<Responding>;

function serve(host: SandboxHost, state: SandboxState, queue: WorkQueue, respond: Respond): Server {
  return createServer({ keepAliveTimeout, requireHostHeader: false }, (message, reply) => {
    if (refusesHostless(message, reply)) return;
    const started = state.options.elapsed();
    const answer = (body: string): void => {
      const request = { ...readRequest(message, host), body };
      const cancel = queue.start(respond(request), ({ response, start }) => {
        if (start === undefined) sendAnswer(message, reply, response);
        else {
          reply.writeHead(response.status, response.headers);
          // A stream may be silent for a while, so send the headers now to show the reader that it is open.
          reply.flushHeaders();
          const stream = start(sinkOf(reply), () => cut(reply));
          reply.once("close", () => stream.drop());
        }
        logRequest(request, response, started, state);
      });
      reply.once("close", cancel);
    };
    // An unread body would block the next request on the connection.
    readBody(message, (body) => afterLatency(state, reply, () => answer(body)));
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

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, LOOPBACK, () => {
      const address = server.address();
      resolve(`http://${LOOPBACK}:${typeof address === "object" ? address?.port : 0}`);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // The callback gets an error if the server never listened, but the server is stopped in that case, too.
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
