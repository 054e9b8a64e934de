import { describe, expect, test } from "vitest";
import { createPathReader } from "../../src/base/json/path-reader.ts";
import { expectedAt as rawAt } from "./reference-path.ts";
import { isLong } from "../harness/long.ts";
import { anyCharacter, fc } from "../harness/properties.ts";

describe("consecutive texts", () => {
  const leaf = fc.oneof(
    fc.constantFrom(null, true, false, 0, -1.5e-9, "", "a, b", '\\"', "]", [], {}, [1], { a: 1 }),
    fc.integer(),
    fc.string({ unit: anyCharacter }),
  );
  /** Returns the same value with some scalars changed, sometimes to a container. */
  const altered = (value: unknown, next: () => unknown): unknown => {
    if (typeof value !== "object" || value === null) return next() ?? value;
    if (Array.isArray(value)) return value.map((element: unknown) => altered(element, next));
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, altered(member, next)]));
  };
  const paths = ["", "a", "0", "a.0", "0.a", "a.a", "*", "a.*", "*.a", "__proto__", "1", "b"].map((path) =>
    path === "" ? [] : path.split("."),
  );

  test("return the same values as each text alone, similar or not", () => {
    const small = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", "0", "__proto__"), tie("value"), { maxKeys: 3 }),
      ),
    })).value;
    const others = fc.infiniteStream(fc.option(leaf, { nil: undefined, freq: 2 }));
    fc.assert(
      fc.property(small, others, fc.constantFrom(0, 1), (value, stream, indent) => {
        const read = createPathReader(paths);
        for (let turn = 0; turn < 25; turn += 1) {
          const text = JSON.stringify(
            turn === 0 ? value : altered(value, () => stream.next().value),
            null,
            indent,
          );
          expect(read(text)).toEqual(paths.map((path) => rawAt(text, path)));
        }
      }),
      { numRuns: isLong ? 1000 : 75 },
    );
  });

  test.each([
    ["[1]", "[]"],
    ['{"a":1}', '{"a":{}}'],
    ['{"a":1}', '{"a":[1],"b":2}'],
    ['{"a":"x"}', '{"a":"x","b":1}'],
    ['{"a":"x","b":1}', '{"a":"x"}'],
    ['{"a":1,"a":2}', '{"a":2,"a":3}'],
    ['{"a":{"a":1},"a":2}', '{"a":{"a":7},"a":8}'],
    ['{"a":1}', '{"b":1}'],
    ["1", '"x"'],
    ['{"a":"1","b":"2"}', '{"a":"\\"","b":"\\\\"}'],
  ])("%s and then %s", (first, second) => {
    const read = createPathReader(paths);
    for (const text of [first, second, first, first, second])
      expect(read(text)).toEqual(paths.map((path) => rawAt(text, path)));
  });

  test("in two alternating formats take at most three times as long as one format", () => {
    const shapes = [
      { id: 1, name: "one", tokens: [{ symbol: "A" }], fee: 0.3 },
      { fee: 0.3, tokens: [{ symbol: "B" }, { symbol: "C" }], name: "two", id: 2 },
    ].map((shape) => JSON.stringify(shape));
    const timeOf = (texts: readonly string[]): number => {
      const read = createPathReader([["id"], ["name"], ["tokens", "0", "symbol"], ["fee"]]);
      let best = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < 25; turn += 1) {
        const start = performance.now();
        for (let index = 0; index < 1000; index += 1) read(texts[index % texts.length] ?? "");
        best = Math.min(best, performance.now() - start);
      }
      return best;
    };
    const ratio = timeOf(shapes) / Math.max(...shapes.map((shape) => timeOf([shape])));
    expect(ratio).toBeLessThan(3);
  });
});
