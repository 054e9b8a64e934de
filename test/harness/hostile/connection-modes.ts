import { hang, raw, reset, slow } from "../scripted-server.ts";
import type { HostileCommand } from "./commands.ts";
import { fine, givenUp, type Mode, untrusted } from "./mode.ts";

const ok = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const lengthOf = (text: string): number => Buffer.byteLength(text);
/** Returns the complete valid response with these headers, which end without a line break. */
const under =
  (headers: string) =>
  ({ sound }: HostileCommand) =>
    raw([`${headers}\r\n\r\n${sound}`]);
const chunk = (text: string): string => `${lengthOf(text).toString(16)}\r\n${text}\r\n`;

const closed = /^127\.0\.0\.1:\d+ closed the connection before the response was complete$/;
const isReset = /^connection to 127\.0\.0\.1:\d+ reset$/;
const otherLength = /^response from 127\.0\.0\.1:\d+ was cut short$/;
const notHttp = /^127\.0\.0\.1:\d+ did not send an HTTP response$/;
const tooLong = /^the response headers from 127\.0\.0\.1:\d+ are too large$/;
const tooSlow: Mode["ends"] = {
  exit: 7,
  says: /^request to 127\.0\.0\.1:\d+ timed out after 30s$/,
  requests: 2,
};
/** The parser of headers does not know the command, and creates an error for each header that is too many. */
const isOneForHeaders = ({ endpoint }: HostileCommand): boolean =>
  endpoint.id === "networks" || endpoint.id === "pools_search";
const soon = "--timeout 30s --retries 1";

/** Faults of a host, or of any machine in front of it, below JSON. */
export const connectionModes: readonly Mode[] = [
  { name: "resets before any byte", reply: () => reset("before"), ends: givenUp(isReset) },
  { name: "resets after the headers", reply: () => reset("headers"), ends: givenUp(isReset) },
  { name: "resets in the body", reply: () => reset("body"), ends: givenUp(isReset) },
  { name: "closes before any byte", reply: () => raw([]), ends: givenUp(closed) },
  { name: "closes in the headers", reply: () => raw([`${ok}content-le`]), ends: givenUp(closed) },
  {
    name: "sends less than it says",
    reply: ({ sound }) => raw([`${ok}content-length: ${lengthOf(sound) + 9}\r\n\r\n${sound}`]),
    ends: givenUp(closed),
  },
  {
    name: "sends more than it says",
    reply: ({ sound }) =>
      raw([`${ok}content-length: ${lengthOf(sound)}\r\n\r\n${sound}HTTP/1.1 200 OK\r\n\r\n[]`]),
    ends: fine,
  },
  {
    name: "says half its length",
    reply: ({ sound }) => raw([`${ok}content-length: ${Math.floor(lengthOf(sound) / 2)}\r\n\r\n${sound}`]),
    ends: untrusted(/^invalid response: (?:not HTTP, from 127\.0\.0\.1:\d+|malformed or truncated JSON)/),
  },
  {
    name: "never ends its chunks",
    reply: ({ sound }) => raw([`${ok}transfer-encoding: chunked\r\n\r\n${chunk(sound)}`]),
    ends: givenUp(closed),
  },
  {
    name: "lies about a chunk's length",
    reply: ({ sound }) => raw([`${ok}transfer-encoding: chunked\r\n\r\n3\r\n${sound}\r\n0\r\n\r\n`]),
    ends: untrusted(notHttp),
  },
  {
    name: "answers with status 099",
    reply: ({ sound }) => raw([`HTTP/1.1 099 Odd\r\ncontent-length: ${lengthOf(sound)}\r\n\r\n${sound}`]),
    ends: untrusted(notHttp),
  },
  {
    name: "counts a chunk in no number",
    reply: ({ sound }) => raw([`${ok}transfer-encoding: chunked\r\n\r\nxyz\r\n${sound}\r\n0\r\n\r\n`]),
    ends: untrusted(notHttp),
  },
  {
    name: "says two lengths",
    reply: under(`${ok}content-length: 2\r\ncontent-length: 5`),
    ends: givenUp(otherLength),
  },
  {
    name: "says a length and chunks",
    reply: ({ sound }) =>
      raw([`${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n${chunk(sound)}0\r\n\r\n`]),
    ends: givenUp(otherLength),
  },
  { name: "says a negative length", reply: under(`${ok}content-length: -1`), ends: untrusted(notHttp) },
  {
    name: "says a length beyond every number",
    reply: under(`${ok}content-length: 99999999999999999999999`),
    ends: givenUp(otherLength),
  },
  {
    name: "floods with one long header",
    reply: under(`${ok}x: ${"a".repeat(100 * 1024)}`),
    ends: untrusted(tooLong),
  },
  {
    name: "floods with 40,000 headers",
    reply: under(`${ok}${"x: y\r\n".repeat(40_000)}x: y`),
    ends: untrusted(tooLong),
    isFor: isOneForHeaders,
  },
  {
    name: "floods with headers after the body",
    reply: ({ sound }) =>
      raw([`${ok}transfer-encoding: chunked\r\n\r\n${chunk(sound)}0\r\n${"x: y\r\n".repeat(40_000)}\r\n`]),
    ends: untrusted(tooLong),
    isFor: isOneForHeaders,
  },
  { name: "greets as SSH", reply: () => raw(["SSH-2.0-OpenSSH_9.2\r\n"]), ends: untrusted(notHttp) },
  {
    name: "answers in TLS",
    reply: () => raw([Buffer.from([21, 3, 1, 0, 2, 2, 70])]),
    ends: untrusted(notHttp),
  },
  {
    name: "answers in HTTP/2",
    reply: () => raw([Buffer.from([0, 0, 18, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100])]),
    ends: untrusted(notHttp),
  },
  { name: "sends a body without headers", reply: ({ sound }) => raw([sound]), ends: untrusted(notHttp) },
  { name: "says a status of four digits", reply: under("HTTP/1.1 2000 OK"), ends: untrusted(notHttp) },
  { name: "says no status", reply: under("HTTP/1.1 OK"), ends: untrusted(notHttp) },
  { name: "puts NUL into a header", reply: under(`${ok}x: a\0b`), ends: untrusted(notHttp) },
  {
    name: "switches protocols",
    reply: () => raw(["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"]),
    ends: givenUp(closed),
  },
  {
    name: "says to wait, again and again, and answers",
    reply: ({ sound }) =>
      raw([
        "HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n".repeat(500),
        `${ok}content-length: ${lengthOf(sound)}\r\n\r\n${sound}`,
      ]),
    ends: fine,
  },
  { name: "never answers", reply: () => hang(), ends: tooSlow, flags: soon },
  {
    name: "says to wait, and never answers",
    reply: () => raw(["HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n"], { stayOpen: true }),
    ends: tooSlow,
    flags: soon,
  },
  {
    name: "stalls in the headers",
    reply: () => raw([ok, "x: "], { stayOpen: true }),
    ends: tooSlow,
    flags: soon,
  },
  {
    name: "trickles headers",
    reply: () => raw([ok, ...Array.from({ length: 60 }, () => "x: y\r\n")], { everyMs: 2, stayOpen: true }),
    ends: tooSlow,
    flags: soon,
  },
  {
    name: "stalls in the body",
    reply: ({ sound }) => slow({ chunks: [sound.slice(0, -1)], stayOpen: true }),
    ends: tooSlow,
    flags: soon,
  },
  {
    name: "trickles its body",
    reply: () => slow({ chunks: Array.from({ length: 60 }, () => " "), everyMs: 2, stayOpen: true }),
    ends: tooSlow,
    flags: soon,
  },
];
