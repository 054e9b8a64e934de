import { endless, html, json, raw, redirect, type Reply, reset, slow } from "../scripted-server.ts";
import { forbidden } from "./forbidden.ts";

/** One hostile behavior of a streaming host for `dexdata stream … --limit 2 --max-reconnects 1`. */
export interface StreamMode {
  readonly name: string;
  readonly reply: (index: number) => Reply;
  readonly exit: number;
  readonly says: RegExp | undefined;
  /** The number of rows on stdout. */
  readonly rows: number;
  readonly requests: number;
}

const headers = { "content-type": "text/event-stream" };
const price = 'event: token_price\ndata: {"p":"1"}\nrequest_id: 0\n\n';
const sending = (...chunks: (string | Uint8Array)[]): Reply => slow({ headers, chunks });
const staying = (...chunks: (string | Uint8Array)[]): Reply => slow({ headers, chunks, stayOpen: true });
const event = (data: string): string => `event: token_price\ndata: ${data}\n\n`;

const wrongType = /^invalid response: .+ instead of an event stream from 127\.0\.0\.1:\d+$/;

/** Not retried, because a retry would get the same response. */
const refusals: readonly (readonly [string, Reply, RegExp])[] = [
  ["answers with a web page", html(200), wrongType],
  ["answers with JSON", json("{}"), wrongType],
  ["answers without a type", raw(["HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"]), wrongType],
  [
    "answers with a type of forbidden characters",
    json("{}", { headers: { "content-type": "\u009b31m\u00adtext" } }),
    wrongType,
  ],
  [
    "answers 205",
    raw(["HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n"]),
    /^invalid response: HTTP 205 instead of an event stream from 127\.0\.0\.1:\d+$/,
  ],
  [
    "redirects",
    redirect("http://127.0.0.1:9/"),
    /^the streaming host returned a redirect \(HTTP 302\), which dexdata does not follow$/,
  ],
  [
    "compresses what nobody asked it to",
    slow({ headers: { ...headers, "content-encoding": "gzip" }, chunks: ["x"] }),
    /^invalid response: unexpected content-encoding gzip from 127\.0\.0\.1:\d+$/,
  ],
  [
    "floods with headers",
    raw([`HTTP/1.1 200 OK\r\nx: ${"a".repeat(100_000)}\r\n\r\n`]),
    /^the response headers from 127\.0\.0\.1:\d+ are too large$/,
  ],
  ["greets as SSH", raw(["SSH-2.0-OpenSSH_9.2\r\n"]), /^127\.0\.0\.1:\d+ did not send an HTTP response$/],
];

/** A new connection may succeed, so the client makes one more and then ends. */
const interruptions: readonly (readonly [string, Reply, number])[] = [
  ["resets before any byte", reset("before"), 7],
  ["closes before any byte", raw([]), 7],
  ["ends without an event", sending(), 8],
  ["ends in the middle of an event", sending('event: token_price\ndata: {"p":"1"}\n'), 8],
  ["ends in the middle of a character", sending(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xe6, 0x97])), 8],
  ["sends a line without end", endless("x".repeat(65_536), { headers }), 1],
  ["sends an event without end", endless(`data: ${"x".repeat(65_000)}\n`, { headers }), 1],
  ["sends an error", sending(`event: error\ndata: ${JSON.stringify({ message: forbidden })}\n\n`), 7],
];

/** Harmless data besides two valid events. */
const harmless: readonly (readonly [string, string | Uint8Array])[] = [
  ["a byte order mark", "\uFEFF"],
  ["comments", ": x\n".repeat(5000)],
  ["blank lines", "\n".repeat(5000)],
  ["fields nobody knows", `${forbidden.replaceAll(/[\r\n]/gu, "")}: x\n\n`],
  ["an event nobody knows", `event: ${forbidden.replaceAll(/[\r\n]/gu, "")}\ndata: {}\n\n`],
  ["a retry of a century", "retry: 3153600000000\n\n"],
  ["a retry that is no number", "retry: soon\n\n"],
  ["an id with NUL", "id: a\0b\n\n"],
  [
    "a warning of forbidden characters",
    `event: warning\ndata: ${JSON.stringify({ message: forbidden })}\n\n`,
  ],
  ["a warning of 100,000 levels", `event: warning\ndata: ${"[".repeat(100_000)}${"]".repeat(100_000)}\n\n`],
  ["data that is no JSON", event("{no")],
  [
    "data that is no UTF-8",
    Buffer.concat([
      Buffer.from('event: token_price\ndata: {"a":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\n\n'),
    ]),
  ],
];

/** Odd data is still data. */
const events: readonly (readonly [string, string])[] = [
  ["every forbidden character", event(JSON.stringify({ p: forbidden, [forbidden]: 1 }))],
  ["100,000 levels", event(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)],
  ["__proto__", event('{"__proto__":{"p":1}}')],
  ["a number of 100,000 digits", event(`{"p":${"7".repeat(100_000)}}`)],
  ["half a surrogate pair", event('{"p":"\\ud800"}')],
  ["lines ended by CR alone", 'event: token_price\rdata: {"p":"1"}\r\r'],
];

export const streamModes: readonly StreamMode[] = [
  {
    name: "answers 204",
    reply: () => raw(["HTTP/1.1 204 No Content\r\n\r\n"]),
    exit: 8,
    says: /^the service ended the stream permanently \(HTTP 204\)$/,
    rows: 0,
    requests: 1,
  },
  ...refusals.map(([name, reply, says]) => ({
    name,
    reply: () => reply,
    exit: 1,
    says,
    rows: 0,
    requests: 1,
  })),
  ...interruptions.map(([name, reply, exit]) => ({
    name,
    reply: () => reply,
    exit,
    says: undefined,
    rows: 0,
    requests: 2,
  })),
  ...harmless.map(([name, noise]) => ({
    name: `sends ${name}`,
    reply: () => staying(noise, price, price),
    exit: 0,
    says: undefined,
    rows: 2,
    requests: 1,
  })),
  ...events.map(([name, text]) => ({
    name: `sends an event with ${name}`,
    reply: () => staying(text, text),
    exit: 0,
    says: undefined,
    rows: 2,
    requests: 1,
  })),
];

/** Returns the same reply with events of another feed. */
export function withEvents(name: string, reply: Reply): Reply {
  if (reply.mode !== "slow") return reply;
  // Uses Latin-1, because some bytes are not UTF-8.
  const renamed = (chunk: string | Uint8Array): Buffer =>
    Buffer.from(Buffer.from(chunk).toString("latin1").replaceAll("token_price", name), "latin1");
  return { ...reply, chunks: reply.chunks.map(renamed) };
}
