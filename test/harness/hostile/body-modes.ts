import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { bytes, empty, endless, html, json, raw } from "../scripted-server.ts";
import type { HostileCommand } from "./commands.ts";
import { fine, type Mode, untrusted } from "./mode.ts";

const notWhole = /^invalid response: malformed or truncated JSON \(HTTP 200, \d+ bytes\)$/;
const isEmpty = /^invalid response: empty body \(HTTP \d+\)$/;
const damaged = /^invalid response: corrupt gzip data from 127\.0\.0\.1:\d+$/;
const tooLarge = /^the response from 127\.0\.0\.1:\d+ is larger than 32 MiB$/;
const tooMany = /^the response from 127\.0\.0\.1:\d+ contains more than 500,000 values$/;
const unasked = (name: string): RegExp =>
  new RegExp(`^invalid response: unexpected content-encoding ${name} from 127\\.0\\.0\\.1:\\d+$`, "u");
const encoded =
  (name: string, encode: (sound: Buffer) => Buffer) =>
  ({ sound }: HostileCommand) =>
    bytes(encode(Buffer.from(sound)), { "content-encoding": name });
const changed =
  (change: (sound: string) => string | Buffer) =>
  ({ sound }: HostileCommand) =>
    bytes(Buffer.from(change(sound)));
/** Adds one more value somewhere, under a name that is not in any contract. */
const withExtra =
  (member: string) =>
  ({ sound }: HostileCommand) =>
    json(sound.replace("{", `{${member},`));

const MiB = 1024 * 1024;
const bomb = gzipSync(Buffer.alloc(40 * MiB, " "), { level: 1 });
const brotliBomb = brotliCompressSync(Buffer.alloc(MiB, " "));
const manyValues = gzipSync(Buffer.alloc(2 * MiB, "[{},"), { level: 1 });
const manyLevels = gzipSync(Buffer.alloc(2 * MiB, "["), { level: 1 });

export const encodingModes: readonly Mode[] = [
  ...["br", "deflate", "zstd", "compress", "gzip, gzip", "br, gzip", "x"].map((name) => ({
    name: `encodes in ${name}`,
    reply: encoded(name, name === "deflate" ? deflateSync : brotliCompressSync),
    ends: untrusted(unasked(name)),
  })),
  { name: "encodes in gzip", reply: encoded("gzip", (sound) => gzipSync(sound)), ends: fine },
  {
    name: "encodes in gzip twice and says it once",
    reply: encoded("gzip", (sound) => gzipSync(gzipSync(sound))),
    ends: untrusted(/^invalid response: (?:not valid UTF-8|malformed or truncated JSON)/),
  },
  {
    name: "says gzip and sends text",
    reply: encoded("gzip", (sound) => sound),
    ends: untrusted(damaged),
  },
  {
    name: "cuts its gzip",
    reply: encoded("gzip", (sound) => gzipSync(sound).subarray(0, -5)),
    ends: untrusted(damaged),
  },
  {
    name: "sends a wrong sum in gzip",
    reply: encoded("gzip", (sound) => Buffer.concat([gzipSync(sound).subarray(0, -8), Buffer.alloc(8)])),
    ends: untrusted(damaged),
  },
  {
    name: "sends gzip and says nothing",
    reply: ({ sound }) => bytes(gzipSync(sound)),
    ends: untrusted(/^invalid response: not valid UTF-8$/),
  },
  { name: "sends a gzip bomb", reply: encoded("gzip", () => bomb), ends: untrusted(tooLarge) },
  { name: "sends a brotli bomb", reply: encoded("br", () => brotliBomb), ends: untrusted(unasked("br")) },
  {
    name: "sends a million values",
    reply: encoded("gzip", () => manyValues),
    ends: untrusted(tooMany),
  },
  {
    name: "sends two million levels",
    reply: encoded("gzip", () => manyLevels),
    ends: untrusted(tooMany),
  },
];

export const bodyModes: readonly Mode[] = [
  { name: "sends nothing", reply: () => empty(200), ends: untrusted(isEmpty) },
  { name: "sends 204", reply: () => empty(204), ends: untrusted(isEmpty) },
  {
    name: "sends 205",
    reply: () => raw(["HTTP/1.1 205 Reset\r\ncontent-length: 0\r\n\r\n"]),
    ends: untrusted(isEmpty),
  },
  {
    name: "sends a part",
    reply: ({ sound }) => json(sound, { status: 206, headers: { "content-range": "bytes 0-1/9" } }),
    ends: untrusted(/^invalid response: partial content \(HTTP 206\)$/),
  },
  { name: "sends blanks", reply: () => json(" \n\t "), ends: untrusted(isEmpty) },
  {
    name: "sends a web page",
    reply: () => html(200),
    ends: untrusted(/^invalid response: HTML instead of JSON \(HTTP 200\)$/),
  },
  {
    name: "sends half",
    reply: changed((sound) => sound.slice(0, sound.length / 2)),
    ends: untrusted(notWhole),
  },
  {
    name: "leaves out the last byte",
    reply: changed((sound) => sound.slice(0, -1)),
    ends: untrusted(notWhole),
  },
  { name: "sends itself twice", reply: changed((sound) => sound + sound), ends: untrusted(notWhole) },
  { name: "sends a byte too many", reply: changed((sound) => `${sound},`), ends: untrusted(notWhole) },
  { name: "sends NUL after its end", reply: changed((sound) => `${sound}\0`), ends: untrusted(notWhole) },
  { name: "writes a byte order mark", reply: changed((sound) => `\uFEFF${sound}`), ends: fine },
  {
    name: "writes UTF-16",
    reply: changed((sound) => Buffer.from(`\uFEFF${sound}`, "utf16le")),
    ends: untrusted(/^invalid response: not valid UTF-8$/),
  },
  {
    name: "writes bytes that are no UTF-8",
    reply: ({ sound }) => bytes(Buffer.from(sound.replace("{", '{"more":"\u00ff",'), "latin1")),
    ends: untrusted(/^invalid response: not valid UTF-8$/),
  },
  { name: "leads with a zero", reply: withExtra('"more":01'), ends: untrusted(notWhole) },
  { name: "writes NaN", reply: withExtra('"more":NaN'), ends: untrusted(notWhole) },
  { name: "writes hexadecimal", reply: withExtra('"more":0x1f'), ends: untrusted(notWhole) },
  { name: "writes a point without digits", reply: withExtra('"more":1.'), ends: untrusted(notWhole) },
  { name: "writes single quotes", reply: withExtra("'more':1"), ends: untrusted(notWhole) },
  { name: "writes a comment", reply: withExtra('/* more */ "more":1'), ends: untrusted(notWhole) },
  { name: "writes a comma too many", reply: withExtra('"more":[1,]'), ends: untrusted(notWhole) },
  { name: "breaks a line inside a string", reply: withExtra('"more":"a\nb"'), ends: untrusted(notWhole) },
  { name: "writes an escape that is none", reply: withExtra('"more":"\\x41"'), ends: untrusted(notWhole) },
  {
    name: "nests 100,000 levels",
    reply: withExtra(`"more":${"[".repeat(100_000)}${"]".repeat(100_000)}`),
    ends: fine,
  },
  {
    name: "nests 50,000 objects",
    reply: withExtra(`"more":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`),
    ends: fine,
  },
  { name: "names __proto__", reply: withExtra('"__proto__":{"id":"x","polluted":true}'), ends: fine },
  {
    name: "names constructor and toString",
    reply: withExtra('"constructor":1,"toString":2,"hasOwnProperty":3'),
    ends: fine,
  },
  { name: "repeats a name", reply: withExtra('"more":1,"more":2'), ends: fine },
  { name: "writes a million digits", reply: withExtra(`"more":${"7".repeat(1_000_000)}`), ends: fine },
  { name: "writes a number beyond every double", reply: withExtra('"more":1e999999999'), ends: fine },
  { name: "writes half a surrogate pair", reply: withExtra('"more":"\\ud800"'), ends: fine },
  { name: "writes a name of a megabyte", reply: withExtra(`"${"n".repeat(1_000_000)}":1`), ends: fine },
  {
    name: "indents with a megabyte of blanks",
    reply: changed((sound) => " ".repeat(1_000_000) + sound),
    ends: fine,
  },
  {
    name: "never ends its body",
    reply: () => endless("[".padEnd(MiB)),
    ends: untrusted(tooLarge),
    isFor: ({ endpoint }) => endpoint.id === "networks" || endpoint.id === "pools_search",
  },
  {
    name: "sends 33 MiB",
    reply: () => json("[]".padEnd(33 * MiB)),
    ends: untrusted(tooLarge),
    isFor: ({ endpoint }) => endpoint.id === "networks" || endpoint.id === "pools_search",
  },
];
