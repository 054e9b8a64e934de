import { expect, test } from "vitest";
import { EventStreamParser } from "../../../src/client/streams/event-stream.ts";
import { collectGarbage } from "../../harness/collect-garbage.ts";
import { isLong } from "../../harness/long.ts";
import { createRandom } from "../../harness/random.ts";
import { inPieces, parseChunks } from "./parse-stream.ts";
import { cutAnywhere, randomStream } from "./random-streams.ts";
import { parseByTheStandard } from "./reference-parser.ts";

const runs = isLong ? 1_000_000 : 20_000;

test(
  "random streams, split anywhere, are read according to the standard",
  () => {
    for (let seed = 1; seed <= runs; seed++) {
      const random = createRandom(seed * 2_654_435_761);
      const stream = randomStream(random);
      const expected = JSON.stringify(parseByTheStandard(stream));
      const whole = JSON.stringify(parseChunks([stream]));
      const pieces = JSON.stringify(parseChunks(cutAnywhere(stream, random)));
      // Compare texts: a million calls of expect() would take most of the time.
      if (whole !== expected || pieces !== expected) {
        expect.soft(whole, `seed ${seed}: ${JSON.stringify(stream.toString("latin1"))}`).toBe(expected);
        expect(pieces, `seed ${seed}, in pieces`).toBe(expected);
      }
    }
  },
  isLong ? 600_000 : 60_000,
);

/** Returns the bytes of memory in use after garbage collection. */
function memory(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test.each([
  { what: "random bytes", chunk: (random: () => number) => Buffer.concat([randomStream(random)]) },
  // Each event retains a few bytes that could keep 64 KiB alive: a thousand of them would be 64 MiB.
  {
    what: "small data lines in chunks of comments",
    turns: isLong ? 10_000 : 1000,
    chunk: () => Buffer.from(`data:1\n${`:${"c".repeat(98)}\n`.repeat(655)}`),
  },
  { what: "a line that grows by one byte a chunk", chunk: () => Buffer.from("x") },
  { what: "empty data lines", chunk: () => Buffer.from("data\n".repeat(13)) },
])("memory does not grow: $what", ({ chunk, turns = 10_000 }) => {
  const random = createRandom(7);
  const parser = new EventStreamParser();
  const before = memory();
  let most = 0;
  for (let turn = 1; turn <= turns; turn++) {
    parser.push(chunk(random));
    if (turn % (turns / 4) === 0) most = Math.max(most, memory() - before);
  }
  // An incomplete event can take twice the limit while its buffer doubles.
  expect(most).toBeLessThan(4 * 1024 * 1024);
  // Keeps the parser alive until here.
  expect(inPieces(Buffer.alloc(0), 1).next().done && parser.hasOverflown()).toBe(false);
});

test.each([
  { what: "a line without an end", pieces: [Buffer.alloc(1024 * 1024, "x"), Buffer.from("xx")] },
  { what: "a line too long, with its end", pieces: [Buffer.from(`${"x".repeat(1024 * 1024 + 1)}\n`)] },
])("memory of skipped data is freed: $what", async ({ pieces }) => {
  const before = memory();
  const parsers = Array.from({ length: 20 }, () => {
    const parser = new EventStreamParser();
    // Each parser gets its own chunk, as from a socket.
    for (const piece of pieces) parser.push(Buffer.from(piece));
    return parser;
  });
  // Buffers are freed concurrently, shortly after they are collected.
  await expect.poll(() => memory() - before, { timeout: 5000 }).toBeLessThan(4 * 1024 * 1024);
  // Keeps the parsers alive until here.
  expect(parsers.some((parser) => parser.hasOverflown())).toBe(false);
});
