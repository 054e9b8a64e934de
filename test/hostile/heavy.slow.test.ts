import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { isLong } from "../harness/long.ts";
import { inTime } from "../harness/in-time.ts";
import { longPull } from "../harness/long-pull.ts";
import { bytes, endless, json, type Reply, slow } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const MiB = 1024 * 1024;
/** The maximum size of a response, filled by repeating one piece. */
const most = 31 * MiB;
const filled = (piece: string): Buffer => {
  const unit = Buffer.from(piece);
  return Buffer.alloc(Math.floor(most / unit.length) * unit.length, unit);
};
const zipped = (before: string, piece: string, after: string): Reply =>
  bytes(gzipSync(Buffer.concat([Buffer.from(before), filled(piece), Buffer.from(after)]), { level: 1 }), {
    "content-encoding": "gzip",
  });
const name = '[{"id":"x","name":"';
const plan = '{"plan":"';

/** The behavior of the body, the command, the exit code, and whether `npm test` includes it. */
const heavy: readonly (readonly [string, () => Reply, string, number, boolean])[] = [
  ["without an end", () => endless("[".padEnd(MiB)), "networks", 1, true],
  ["of 8 million empty rows", () => zipped("[", "{},", "{}]"), "networks", 1, true],
  ["of 32 million levels", () => zipped("", "[", ""), "pools search", 1, false],
  [
    "with a name of ten million bidi characters",
    () => zipped(name, "\u202e", '"}]'),
    "networks -o ndjson",
    0,
    true,
  ],
  ["the same as a table", () => zipped(name, "\u202e", '"}]'), "networks -o table", 0, false],
  ["the same as csv", () => zipped(name, "\u202e", '"}]'), "networks -o csv", 0, false],
  ["with a name of ten million line breaks", () => zipped(name, "\\n", '"}]'), "networks -o table", 0, false],
  ["with a plan of ten million bidi characters", () => zipped(plan, "\u202e", '"}'), "auth status", 0, false],
  ["the same as a table", () => zipped(plan, "\u202e", '"}'), "auth status -o table", 0, false],
  ["the same of doctor", () => zipped(plan, "\u202e", '"}'), "doctor --no-stream", 0, false],
  ["the same of usage", () => zipped(plan, "\u202e", '"}'), "usage -o table", 0, false],
  ["with a number of 31 million digits", () => zipped('[{"id":', "7", "}]"), "networks -o table", 0, false],
];

for (const [what, reply, words, exit, isAlways] of heavy) {
  test.runIf(isAlways || isLong)(`promise 5: a body ${what}: exit ${exit}, under 400 MB`, async () => {
    const made = reply();
    const server = await serveInTest(() => made);
    const pull = await longPull(words.split(" "), { DEXDATA_BASE_URL: server.url });
    expect({ exit: pull.exit, isBug: /a bug in|\n\s+at /u.test(pull.stderr) }).toEqual({
      exit,
      isBug: false,
    });
    expect(pull.peakMegabytes).toBeLessThan(400);
    expect(server.requests.length).toBe(1);
  });
}

test.runIf(isLong).each([
  ["network", "pools search ethereum0", "/networks", '[{"id":"', '"}]', 3, 2],
  [
    "DEX",
    "pools search ethereum --dex uniswap-v3",
    "/networks/ethereum/dexes",
    '{"page_info":{"limit":1,"page":1,"total_items":1,"total_pages":1},"dexes":[{"dex_id":"',
    '"}]}',
    0,
    3,
  ],
])(
  "promise 5: a %s that may be intended, with a name of 31 MiB: under 400 MB",
  async (_, words, list, before, after, exit, requests) => {
    const server = await serveInTest(({ path }) => {
      if (path === list) return zipped(before, "e", after);
      return exit === 0 ? json({ results: [], has_next_page: false }) : json({}, { status: 404 });
    });
    const pull = await longPull(words.split(" "), { DEXDATA_BASE_URL: server.url });
    expect({ exit: pull.exit, requests: server.requests.length }).toEqual({ exit, requests });
    expect(pull.peakMegabytes).toBeLessThan(400);
  },
);

test("promise 5: a slow body ends at most a second after its deadline", async () => {
  const server = await serveInTest(() =>
    slow({ chunks: Array.from({ length: 400 }, () => " "), everyMs: 20, stayOpen: true }),
  );
  const words = ["networks", "--timeout", "1s", "--retries", "0"];
  const pull = longPull(words, { DEXDATA_BASE_URL: server.url });
  // Measured from the arrival of the request: the start time of the program depends on the machine.
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await inTime(2000, pull)).exit).toBe(7);
});
