import { expect, test } from "vitest";
import { KnownText } from "../../../src/client/streams/known-text.ts";

test("a part of a text that was read before is that part, wherever it stands", () => {
  const known = new KnownText();
  const text = Buffer.from("abcd");
  const behind = Buffer.from("xabcd");
  expect(known.of(text, 0, 4)).toBe("abcd");
  for (let from = 0; from <= behind.length; from += 1) {
    for (let to = from; to <= behind.length; to += 1) {
      expect(known.of(text, 0, 4)).toBe("abcd");
      expect(known.of(behind, from, to)).toBe(behind.toString("utf8", from, to));
    }
  }
});
