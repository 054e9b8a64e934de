import { describe, expect, test } from "vitest";
import { inPieces, type Parsed, parseChunks } from "./parse-stream.ts";
import { readSharedVectors, type Vector } from "./shared-vectors.ts";

const vectors = readSharedVectors();
/** The two vectors of 5 and 10 MiB exceed the program's limit of 1 MiB, so the parser gets a larger one. */
const capOf = ({ isLarge }: Vector): number | undefined => (isLarge ? 16 * 1024 * 1024 : undefined);

/** Fifteen million bytes one by one take half a minute, and show nothing that the small vectors do not. */
const pieceSizes = ({ isLarge }: Vector): readonly number[] => (isLarge ? [509, 65_521] : [1, 2, 3]);

/**
 * Returns the result in the form of the vectors, which do not know `request_id`; fields that the vector lacks are not
 * compared.
 */
function toComparable(parsed: Parsed, { lastEventId, retry }: Vector): unknown {
  return {
    events: parsed.events.map(({ name, data, id }) => ({ name, data, id })),
    lastEventId: lastEventId === undefined ? undefined : parsed.lastEventId,
    retry: retry === undefined ? undefined : parsed.retry,
    hasOverflown: parsed.hasOverflown,
  };
}

describe.skipIf(vectors.length === 0)("the collected vectors of other projects", () => {
  const streams = vectors.filter(({ fails }) => !fails);

  test.each(streams)("$name", (vector) => {
    const { events, lastEventId, retry, bytes, chunks } = vector;
    const expected = { events, lastEventId, retry, hasOverflown: false };
    const whole = parseChunks([bytes], capOf(vector));
    expect(toComparable(whole, vector)).toEqual(expected);
    expect(toComparable(parseChunks(chunks, capOf(vector)), vector), "as the source cuts it").toEqual(
      expected,
    );
    for (const size of pieceSizes(vector)) {
      const pieces = inPieces(bytes, size);
      const isSame = JSON.stringify(parseChunks(pieces, capOf(vector))) === JSON.stringify(whole);
      expect(isSame, `in pieces of ${size} bytes`).toBe(true);
    }
  });

  test("all of them are present", () => {
    expect(vectors).toHaveLength(181);
    // The others concern the response that contains the stream.
    expect(streams).toHaveLength(172);
  });
});
