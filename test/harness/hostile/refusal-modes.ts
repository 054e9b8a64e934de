import { bytes, endless, html, json, raw, redirect, type Reply } from "../scripted-server.ts";
import { gzipSync } from "node:zlib";
import { type Ending, givenUp, type Mode, refused, untrusted } from "./mode.ts";
import type { HostileCommand } from "./commands.ts";
import { forbidden } from "./forbidden.ts";

const failed = (status: number): RegExp => new RegExp(`^the service failed \\(HTTP ${status}\\)$`, "u");
const tooMany = /^rate limit of the \S+ plan exceeded$/;

/** The meaning of each status, for any body. */
const statuses: readonly (readonly [number, Ending])[] = [
  [400, refused(2, /rejected|^the service requires/)],
  [401, refused(4, /^the service rejected the key from DEXDATA_API_KEY$/)],
  [402, refused(5, /^out of credits on the .+ plan/)],
  [403, refused(4, /does not allow this request|blocked the request before/)],
  [404, refused(3, /^(?:\S+ \S+ not found|not found \(HTTP 404\)|unknown network)/)],
  [405, refused(2, /HTTP 405/)],
  [410, refused(3, /was removed from the API$/)],
  [413, refused(2, /HTTP 413/)],
  [429, givenUp(tooMany, 6)],
  [500, givenUp(failed(500))],
  [502, refused(7, failed(502))],
  [503, refused(7, failed(503))],
  [530, refused(7, failed(530))],
  [600, refused(7, failed(600))],
  [302, untrusted(/^the host returned a redirect \(HTTP 302\), which dexdata does not follow$/)],
  [304, untrusted(/^the host returned a redirect \(HTTP 304\), which dexdata does not follow$/)],
];

/** A page with one of these comes from another server. */
const sentAsJson: ReadonlySet<number> = new Set([400, 401, 402, 404, 405, 410]);
const ofOther = /^\S+ responded with an HTML page \(HTTP 4\d\d\) instead of JSON$/;

/** Bodies of rejections without usable information. */
const bodies: readonly (readonly [string, (status: number) => Reply])[] = [
  ["nothing", (status) => bytes(Buffer.alloc(0), {}, status)],
  ["a web page", html],
  ["a list", (status) => json("[]", { status })],
  ["null", (status) => json("null", { status })],
  ["half of it", (status) => json('{"error":"inval', { status })],
  [
    "fields of other types",
    (status) => json({ error: 7, message: [], param: {}, retry_after: "x", links: 1 }, { status }),
  ],
  [
    "forbidden characters",
    (status) =>
      json(
        {
          error: forbidden,
          message: forbidden,
          param: forbidden,
          resource: forbidden,
          replacement: forbidden,
          tier: forbidden,
          resets_at: forbidden,
          offer: { description: forbidden, expires_at: forbidden },
          links: { register: forbidden, upgrade: forbidden, portal: forbidden },
        },
        { status },
      ),
  ],
  ["100,000 levels", (status) => json(`{"error":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, { status })],
  ["__proto__", (status) => json('{"__proto__":{"error":"rate_limited"},"constructor":"x"}', { status })],
  ["no UTF-8", (status) => bytes(Buffer.from([0x7b, 0xff, 0xfe]), {}, status)],
  ["an encoding nobody asked for", (status) => bytes(Buffer.from("x"), { "content-encoding": "br" }, status)],
  ["damaged gzip", (status) => bytes(Buffer.from("x"), { "content-encoding": "gzip" }, status)],
  ["a gzip bomb", (status) => bytes(bomb, { "content-encoding": "gzip" }, status)],
  ["no end", (status) => endless("[".padEnd(65_536), { status })],
];
const bomb = gzipSync(Buffer.alloc(33 * 1024 * 1024, " "), { level: 1 });

const refusals: readonly Mode[] = statuses.flatMap(([status, ends]) =>
  bodies
    // By definition, a 304 has no body.
    .filter(([name]) => status !== 304 || name === "nothing")
    .map(([name, reply]) => ({
      name: `refuses with ${status} and ${name}`,
      reply: () => reply(status),
      ends: name === "a web page" && sentAsJson.has(status) ? refused(7, ofOther) : ends,
      isFor: ({ words }: HostileCommand) => words === "tokens search ethereum",
    })),
);

const redirects: readonly Mode[] = [
  "/",
  "/networks",
  "http://127.0.0.1:9/",
  "//127.0.0.1:9/",
  "https://elsewhere.example/",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "%1b]0;owned%07",
  "",
].flatMap((location) =>
  [301, 302, 303, 307, 308].map((status) => ({
    name: `redirects (${status}) to ${location === "" ? "nowhere" : location}`,
    reply: () => redirect(location, status),
    ends: untrusted(
      new RegExp(`^the host returned a redirect \\(HTTP ${status}\\), which dexdata does not follow$`, "u"),
    ),
    isFor: ({ words }: HostileCommand) => words === "networks",
  })),
);

const date = "Sat, 21 Nov 2026 08:54:00 GMT";
const backoff = [1000, 2000, 4000, 8000];
const each = (wait: number): readonly number[] => [wait, wait, wait, wait];
/** Every form of Retry-After, and the resulting wait: the requested time plus 20 ms, and never less than the backoff. */
const waits: readonly (readonly [string, Record<string, string>, readonly number[]])[] = [
  ["0", { "retry-after": "0" }, backoff],
  ["7", { "retry-after": "7" }, [7020, 7020, 7020, 8000]],
  ["007", { "retry-after": "007" }, [7020, 7020, 7020, 8000]],
  ["blanks around 9", { "retry-after": "  9  " }, each(9020)],
  ["-5", { "retry-after": "-5" }, backoff],
  ["+5", { "retry-after": "+5" }, backoff],
  ["1.5", { "retry-after": "1.5" }, backoff],
  ["1e3", { "retry-after": "1e3" }, backoff],
  ["0x10", { "retry-after": "0x10" }, backoff],
  ["5, 16", { "retry-after": "5, 16" }, backoff],
  ["soon", { "retry-after": "soon" }, backoff],
  ["nothing", { "retry-after": "" }, backoff],
  ["Infinity", { "retry-after": "Infinity" }, backoff],
  ["a date in the future", { date, "retry-after": "Sat, 21 Nov 2026 08:54:11 GMT" }, each(11_020)],
  ["a date in the past", { date, "retry-after": "Sat, 21 Nov 2020 08:54:11 GMT" }, backoff],
  ["a date of RFC 850", { date, "retry-after": "Saturday, 21-Nov-26 08:54:11 GMT" }, each(11_020)],
  ["a date of asctime", { date, "retry-after": "Sat Nov 21 08:54:11 2026" }, each(11_020)],
  ["a date that is none", { date, "retry-after": "Sat, 31 Feb 2026 08:54:11 GMT" }, backoff],
  [
    "a date beside a Date that is none",
    { date: "now", "retry-after": "Sat, 21 Nov 2026 08:54:11 GMT" },
    each(11_020),
  ],
  ["RFC 3339", { date, "retry-after": "2026-11-21T08:54:11Z" }, backoff],
];
const longWaits: readonly (readonly [string, Record<string, string>])[] = [
  ["a day", { "retry-after": "86400" }],
  ["more seconds than a number holds", { "retry-after": "9".repeat(400) }],
  ["the year 9999", { date, "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" }],
];
const limits: readonly Mode[] = [
  ...waits.map(([name, headers, asked]) => ({
    name: `says to come back after ${name}`,
    reply: () => json({}, { status: 429, headers }),
    ends: givenUp(tooMany, 6),
    waits: asked,
    isFor: ({ words }: HostileCommand) => words === "networks",
  })),
  ...longWaits.map(([name, headers]) => ({
    name: `says to come back after ${name}`,
    reply: () => json({}, { status: 429, headers }),
    ends: refused(6, /^the service requested a wait of .+, longer than the limit of 1h$/),
    waits: [],
    isFor: ({ words }: HostileCommand) => words === "networks",
  })),
  {
    name: "says two times to come back",
    reply: () =>
      raw(["HTTP/1.1 429 No\r\ncontent-length: 2\r\nretry-after: 9\r\nretry-after: 99999\r\n\r\n{}"]),
    ends: givenUp(tooMany, 6),
    waits: each(9020),
    isFor: ({ words }: HostileCommand) => words === "networks",
  },
];

export const refusalModes: readonly Mode[] = [...refusals, ...redirects, ...limits];
