import { expect, test } from "vitest";
import { createByteStore } from "../../../src/base/byte-store.ts";
import { fc } from "../../harness/properties.ts";

const text = Buffer.from("0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ");
const other = Buffer.from("~".repeat(text.length));

test("a slice of any offset and length is added as a line, byte for byte", () => {
  for (let from = 0; from < 10; from += 1) {
    for (let to = from; to <= text.length; to += 1) {
      const store = createByteStore();
      store.addByte(0x7b);
      store.addLine(text, from, to);
      expect(store.take().toString()).toBe(`{${text.toString("latin1", from, to)}\n`);
    }
  }
});

test("any sequence of steps returns exactly the bytes added since the last take", () => {
  const steps = fc.oneof(
    fc.record({
      how: fc.constantFrom("addLine" as const, "add" as const),
      source: fc.constantFrom(text, other),
      from: fc.nat({ max: 32 }),
      length: fc.nat({ max: 32 }),
    }),
    fc.record({ how: fc.constant("addByte" as const), byte: fc.nat({ max: 255 }) }),
    fc.record({ how: fc.constantFrom("lend" as const, "take" as const) }),
  );
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 60 }), (taken) => {
      const store = createByteStore();
      const kept: { bytes: Buffer; was: string }[] = [];
      let expected = Buffer.alloc(0);
      for (const step of taken) {
        if ("source" in step) {
          const end = Math.min(step.source.length, step.from + step.length);
          if (step.how === "add") store.add(step.source.subarray(step.from, end));
          else store.addLine(step.source, step.from, end);
          const behind = Buffer.from(step.how === "addLine" ? "\n" : "");
          expected = Buffer.concat([expected, step.source.subarray(step.from, end), behind]);
        } else if ("byte" in step) {
          store.addByte(step.byte);
          expected = Buffer.concat([expected, Buffer.of(step.byte)]);
        } else {
          const bytes = store[step.how]();
          expect(bytes.equals(expected)).toBe(true);
          if (step.how === "take") kept.push({ bytes, was: bytes.toString("latin1") });
          expected = Buffer.alloc(0);
        }
        expect(store.length()).toBe(expected.length);
      }
      for (const { bytes, was } of kept) expect(bytes.toString("latin1")).toBe(was);
    }),
    { numRuns: 500 },
  );
});
