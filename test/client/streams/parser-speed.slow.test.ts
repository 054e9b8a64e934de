import { describe, expect, test } from "vitest";
import type * as module from "../../../src/client/streams/event-stream.ts";
import { bundled } from "../../harness/bundled.ts";
import { processorTime } from "../../harness/processor-time.ts";
import { inPieces } from "./parse-stream.ts";

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bundle of that very module
const { EventStreamParser } = (await bundled("src/client/streams/event-stream.ts")) as typeof module;

/** Returns the processor time for the chunks: the best of several runs, since other processes only add time. */
function timeOf(chunks: readonly Buffer[], turns = 5): number {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < turns; turn++) {
    const parser = new EventStreamParser();
    const start = processorTime();
    for (const chunk of chunks) parser.push(chunk);
    best = Math.min(best, processorTime() - start);
  }
  return best;
}

/** Returns the lowest of up to three ratios, and stops once one is within the limit: a busy machine only raises them. */
function lowestOf(bar: number, ratio: () => number): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 3 && lowest >= bar; turn++) lowest = Math.min(lowest, ratio());
  return lowest;
}

const frame =
  'event: token_price\ndata: {"address":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","chain":"ethereum","price":"2145.78","timestamp":1764000000}\nrequest_id: 3\n\n';

/**
 * One chunk per byte value: a million one-byte chunks would be scattered in memory, and reading them would dominate the
 * time.
 */
const singleBytes = Array.from({ length: 256 }, (_, byte) => Buffer.from([byte]));

test("one byte at a time costs at most thirty times as much as large chunks", () => {
  const prices = Array.from({ length: 4000 }, (_, index) => frame.replace("2145.78", `${2145 + index / 7}`));
  const stream = Buffer.from(prices.join(""));
  const chunks = [...inPieces(stream, 65_536)];
  const pieces = Array.from(stream, (byte) => singleBytes[byte] ?? Buffer.of(byte));
  // About ten times on an idle machine. Copying what was read before at every byte would cost hundreds of times.
  const ratio = lowestOf(30, () => timeOf(pieces, 9) / timeOf(chunks, 9));
  expect(ratio).toBeLessThan(30);
});

describe("twice the stream takes twice the time", () => {
  test.each([
    { what: "only CRs", unit: "\r", size: 2_000_000 },
    { what: "only LFs", unit: "\n", size: 2_000_000 },
    { what: "CRs behind one LF", unit: "\r", size: 2_000_000, begin: "\n" },
    { what: "very many data lines", unit: "data\n", size: 500_000 },
    { what: "one endless line, a byte at a time", unit: "x", size: 500_000, piece: 1 },
    { what: "one endless line in chunks", unit: "x", size: 500_000, piece: 100 },
    { what: "fields that are not known", unit: "a:b\n", size: 2_000_000 },
    { what: "colons", unit: ":::::::\n", size: 2_000_000 },
  ])("$what", ({ unit, size, begin = "", piece = Number.POSITIVE_INFINITY }) => {
    const chunks = (bytes: number): Buffer[] => [
      ...inPieces(Buffer.from(begin + unit.repeat(bytes / unit.length)), piece),
    ];
    const [half, all] = [chunks(size / 2), chunks(size)];
    // Quadratic time would be four times as much, and half a minute where linear time takes a tenth of a second.
    expect(lowestOf(3.3, () => timeOf(all) / timeOf(half))).toBeLessThan(3.3);
    expect(timeOf(all)).toBeLessThan(1250);
  });
});
