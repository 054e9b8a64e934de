import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutAnswer } from "../harness/cut-answer.ts";

/** Everything about a row that a check against types can see. */
function typesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typesOf);
  if (typeof value === "object" && value !== null)
    return Object.entries(value).map(([name, each]) => [name, typesOf(each)]);
  if (typeof value !== "number") return value === null ? "null" : typeof value;
  return Number.isFinite(value) ? (Number.isInteger(value) ? "integer" : "fraction") : "none";
}

function alike(rows: readonly string[]): readonly boolean[] | undefined {
  return cutAnswer(Buffer.from(`{"results":[${rows.join(",")}]}`), "results", {
    identity: ["id"],
    isTyped: true,
  })?.rows.alike();
}

describe("rows alike", () => {
  test("have the names and the types of the row before", () => {
    const leaf = fc.oneof(
      fc.constantFrom(
        "1.0",
        "-0",
        "0.0",
        "5.000000000000000000001",
        "0.9999999999999999999",
        "1e400",
        "1e-7",
      ),
      fc.constantFrom("99999999999999.9", "123456789012345678.5", "12345678901234567890", "1.5e1", "15e-1"),
      fc.constantFrom("true", "false", "null", '"a"', '"1"', "[]", "{}", "[1]", "0.1", "7", "-7.25"),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    );
    const rows = fc.array(
      fc.tuple(leaf, leaf, leaf).map(([id, a, b]) => `{"id":${id},"in":{"a":${a}},"b":[${b}]}`),
    );
    fc.assert(
      fc.property(rows, (list) => {
        const types = list.map((row) => JSON.stringify(typesOf(JSON.parse(row))));
        for (const [index, isAlike] of (alike(list) ?? []).entries())
          if (isAlike) expect(types[index]).toBe(types[index - 1]);
      }),
      { numRuns: 2000 },
    );
  });

  test("are found among those that a service sends", () => {
    const row = (id: string, price: string, isLarge: boolean): string =>
      `{"id":"${id}","price":${price},"txns":12,"large":${isLarge},"fdv":null}`;
    const rows = [row("a", "1841.688276194822", true), row("b", "0.000000012", false), row("c", "12", true)];
    const others = [row("d", "2000994683", false), row("e", "-7", true), row("f", "-0.25", true)];
    const found = alike([...rows, ...others, row("g", "-1.5", true), '{"id":"h"}']);
    expect(found).toEqual([false, true, false, true, true, false, true, false]);
  });

  test("are alike among those that are kept only where none between them was checked itself", () => {
    const list = '{"id":1},{"id":2},{"id":"3"},{"id":"4"},{"id":"5"}';
    const rows = cutAnswer(Buffer.from(`{"results":[${list}]}`), "results", {
      identity: ["id"],
      isTyped: true,
    })?.rows;
    const keep = (...kept: boolean[]): readonly boolean[] | undefined => rows?.keep(kept).alike();
    expect(rows?.alike()).toEqual([false, true, false, true, true]);
    expect(keep(true, false, false, true, true)).toEqual([false, false, true]);
    expect(keep(false, true, true, false, true)).toEqual([false, false, true]);
  });
});
