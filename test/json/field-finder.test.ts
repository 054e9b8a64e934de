import { describe, expect, test } from "vitest";
import { ByteScan } from "../../src/base/json/byte-scan.ts";
import { FieldFinder } from "../../src/base/json/field-finder.ts";
import { isLong } from "../harness/long.ts";
import { anyCharacter, fc } from "../harness/properties.ts";

const names = ["id", "a", "log_index"];

/** The text of a value that needs no parser, and undefined for the others. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return "";
  if (typeof value === "object") return undefined;
  const json = JSON.stringify(value);
  if (typeof value !== "string") return json;
  return json.includes("\\") ? undefined : value;
}

/** Finds the texts of rows in one buffer, as lines, one after another. */
function findIn(rows: readonly string[], fields: readonly string[] = names) {
  const bytes = Buffer.from(rows.map((row) => `${row}\n`).join(""));
  const scan = new ByteScan(bytes);
  const finder = new FieldFinder(fields);
  let start = 0;
  return rows.map((row) => {
    const end = start + Buffer.byteLength(row);
    finder.find(scan, start, end);
    start = end + 1;
    const { texts, first } = finder;
    return first === undefined
      ? undefined
      : fields.map((_, index) =>
          bytes.toString("utf8", texts[first + 2 * index], texts[first + 2 * index + 1]),
        );
  });
}

const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1.5e-9, "", "null", "a,b", '","id":"x"', "\\", "}", "日本"),
  fc.integer(),
  fc.string({ unit: anyCharacter }),
);
const nested = fc.oneof(fc.constantFrom<unknown>([], {}, [1, "id"], { id: 1 }, [{ id: "x" }]), leaf);

test("similar and different rows give the texts that JSON.parse gives, or need a parser", () => {
  const member = fc.tuple(fc.constantFrom(...names, "b", "i", "idd", "\u0000"), fc.oneof(leaf, leaf, nested));
  const row = fc.array(member, { maxLength: 6 });
  const rows = fc
    .array(row, { minLength: 1, maxLength: 4 })
    // Rows with the same names as their predecessor take the fast path.
    .chain((shapes) =>
      fc.tuple(
        ...shapes.flatMap((shape) => [
          fc.constant(shape),
          fc.tuple(...shape.map(([name]) => fc.tuple(fc.constant(name), leaf))),
        ]),
      ),
    );
  fc.assert(
    fc.property(rows, (made) => {
      const texts = made.map(
        (members) =>
          `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`,
      );
      for (const [index, found] of findIn(texts).entries()) {
        const parsed: Record<string, unknown> = JSON.parse(texts[index] ?? "{}");
        const expected = names.map((name) => textOf(parsed[name]));
        if (expected.includes(undefined) || found === undefined) expect(found).toBeUndefined();
        else expect(found).toEqual(expected);
        // Without escapes and nested values, no parser is needed.
        if (!/[\\[]|:\{/u.test(texts[index] ?? "")) expect(found).toBeDefined();
      }
    }),
    { numRuns: isLong ? 2000 : 500 },
  );
});

describe("one row", () => {
  test.each<[string, string, readonly string[] | undefined]>([
    ["a string, a number and null", '{"id":"0x1","log_index":12,"a":null}', ["0x1", "", "12"]],
    ["no such member", "{}", ["", "", ""]],
    [
      "a digit beyond a double",
      '{"id":123456789012345678901234567890.10}',
      ["123456789012345678901234567890.10", "", ""],
    ],
    ["a repeated name", '{"id":"first","id":"last"}', ["last", "", ""]],
    ["a repeated name with a nested value first", '{"id":{"a":1},"id":"last"}', ["last", "", ""]],
    ["a repeated name with a nested value last", '{"id":"first","id":[1]}', undefined],
    ["names inside of other values", '{"x":{"id":1},"y":[{"a":2}],"z":"\\"id\\":3"}', ["", "", ""]],
    ["an escape in a text", '{"id":"a\\tb"}', undefined],
    ["an escape elsewhere", '{"id":"a","x":"\\t"}', ["a", "", ""]],
    ["an escaped name", '{"\\u0069d":"a"}', undefined],
    ["a name that begins like another", '{"i":"1","idd":"2","id":"3"}', ["3", "", ""]],
  ])("%s", (_, row, expected) => {
    // The second row is found by the pattern of the first.
    expect(findIn([row, row])).toEqual([expected, expected]);
  });

  test("beyond 64 KiB needs a parser, and the next row does not", () => {
    const large = `{"id":"1","x":"${"x".repeat(65 * 1024)}"}`;
    expect(findIn([large, '{"id":"2","x":""}'])).toEqual([undefined, ["2", "", ""]]);
  });

  test("in reused memory is read again", () => {
    const finder = new FieldFinder(["id"]);
    const bytes = Buffer.from('{"id":"1"}');
    const scan = new ByteScan(bytes);
    finder.find(scan, 0, bytes.length);
    bytes.write('{"x":"id"}');
    finder.find(scan, 0, bytes.length);
    expect(finder.texts).toEqual([7, 8, 0, 0]);
  });
});
