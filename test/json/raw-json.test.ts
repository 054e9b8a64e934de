import { isLong } from "../harness/long.ts";
import { fc } from "../harness/properties.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { compactJson } from "../../src/base/json/json-text.ts";
import { createPathReader, rawAt } from "../../src/base/json/path-reader.ts";
import { rawElements, rawMembers } from "../../src/base/json/json-scan.ts";
import { createRowSelector } from "../../src/cli/render/formats/json.ts";
import { collectGarbage } from "../harness/collect-garbage.ts";
import { BROKEN, samples, withinASecond } from "./json-samples.ts";
import { expectedAt } from "./reference-path.ts";

const ROW =
  '{"id":4272800710322643001,"price":1.10,"tiny":1e-9,"zero":-0,"new_field":[0.30,{"x":1E+5}],"big":123456789012345678901234567890}';

describe("members and elements", () => {
  beforeAll(collectGarbage);

  test("keep every digit and every unknown field", () => {
    expect([...rawMembers(ROW)]).toEqual([
      ["id", "4272800710322643001"],
      ["price", "1.10"],
      ["tiny", "1e-9"],
      ["zero", "-0"],
      ["new_field", '[0.30,{"x":1E+5}]'],
      ["big", "123456789012345678901234567890"],
    ]);
    expect(rawElements(`[ ${ROW} , 1.10\n,"a, b]" ]`)).toEqual([ROW, "1.10", '"a, b]"']);
    expect(rawElements(" [ ] ")).toEqual([]);
    expect([...rawMembers("\t{\n}\r")]).toEqual([]);
  });

  test("decode names, and use the last of equal names", () => {
    expect([...rawMembers('{"a":1,"b":2,"\\u0061":3,"\\"\\\\":4}')]).toEqual([
      ["a", "3"],
      ["b", "2"],
      ['"\\', "4"],
    ]);
  });

  test("treat __proto__ as an ordinary name", () => {
    const members = rawMembers('{"__proto__":{"polluted":true},"constructor":1}');
    expect([...members]).toEqual([
      ["__proto__", '{"polluted":true}'],
      ["constructor", "1"],
    ]);
    expect(rawAt('{"a":1}', ["__proto__"])).toBeUndefined();
    expect(rawAt('{"a":1}', ["toString"])).toBeUndefined();
    expect(rawAt("[1]", ["length"])).toBeUndefined();
  });

  test("match JSON.parse, for any document with any whitespace", () => {
    fc.assert(
      fc.property(samples(), ({ value, text }) => {
        if (Array.isArray(value)) {
          expect(rawElements(text).map(compactJson)).toEqual(value.map((element) => JSON.stringify(element)));
        } else if (typeof value === "object" && value !== null) {
          const parsed = Object.entries(value).map(([name, member]) => [name, JSON.stringify(member)]);
          const raw = [...rawMembers(text)].map(([name, member]) => [name, compactJson(member)]);
          expect(new Map(raw.map(([name = "", member]) => [name, member]))).toEqual(
            new Map(parsed.map(([name = "", member]) => [name, member])),
          );
          expect(raw).toHaveLength(parsed.length);
        } else {
          expect(() => rawElements(text)).toThrow(SyntaxError);
          expect(() => rawMembers(text)).toThrow(SyntaxError);
        }
      }),
      { numRuns: isLong ? 1000 : 150 },
    );
  });

  test.each([...BROKEN, "null", "1", '"[]"'])("%j ends in a SyntaxError", (text) => {
    expect(() => rawMembers(text)).toThrow(SyntaxError);
    expect(() => rawElements(text)).toThrow(SyntaxError);
  });

  test.each(["[1}", '{"a":1]'])("%j, closed with the wrong bracket, ends in a SyntaxError", (text) => {
    expect(() => (text.startsWith("[") ? rawElements(text) : rawMembers(text))).toThrow(SyntaxError);
  });

  test.each([
    ["[1]", "JSON text is not an object"],
    ["{1:2}", "missing member name in a JSON object"],
    ['{"a" 1}', "missing colon in a JSON object"],
    ['{"a":1 "b":2}', "unclosed JSON object"],
    ['{"a":1} 2', "unexpected text after the JSON value"],
    ['{"a', "unclosed JSON string"],
    ['{"a":', "missing JSON value"],
    ['{"a":[1', "unclosed JSON array or object"],
  ])("%j is rejected with the reason: %s", (text, problem) => {
    expect(() => rawMembers(text)).toThrow(new SyntaxError(problem));
  });

  test.each(["[1 2]", "[1", '["a" "b"]'])(
    "%j, an array that continues without a comma, has no end",
    (text) => {
      expect(() => rawElements(text)).toThrow(new SyntaxError("unclosed JSON array"));
    },
  );

  test("the parsers terminate for any text", () => {
    const texts = fc.stringMatching(/^[{}[\]",:\\ 1a]{0,20}$/);
    fc.assert(
      fc.property(texts, (text) => {
        for (const cut of [rawMembers, rawElements]) {
          try {
            cut(text);
          } catch (error) {
            expect(error).toBeInstanceOf(SyntaxError);
          }
        }
      }),
      { numRuns: isLong ? 3000 : 1000 },
    );
  });

  test.each([
    ["nested arrays", `[${"[".repeat(50_000)}${"]".repeat(50_000)}]`],
    ["nested objects", `[${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}]`],
    ["300,000 elements", `[${"1,".repeat(300_000)}1]`],
    ["a string of escaped quotes", `["${'\\"'.repeat(300_000)}"]`],
    ["a string of backslashes", `["${"\\\\".repeat(300_000)}"]`],
    ["an open string of quotes behind backslashes", `["${'\\\\\\"'.repeat(300_000)}`],
  ])("%s: no overflow, and within a second", (_name, text) => {
    withinASecond(() => {
      try {
        rawElements(text);
        rawAt(text, ["0", "0", "a", "*", "*"]);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
      }
    });
  });
});

describe("a path", () => {
  const text =
    '{"id": "x", "24h": {"volume_usd": 1.10}, "0": "zero", "tokens": [{"symbol": "A", "tags": [1, 2]}, {"symbol": "B"}, {"tags": []}, 7], "none": null, "*": "star"}';

  test.each([
    [[], text],
    [["id"], '"x"'],
    [["24h", "volume_usd"], "1.10"],
    [["0"], '"zero"'],
    [["tokens", "0", "symbol"], '"A"'],
    [["tokens", "3"], "7"],
    [["tokens", "*", "symbol"], '["A","B",null,null]'],
    [["tokens", "*", "tags"], "[[1, 2],null,[],null]"],
    [["tokens", "*", "tags", "*"], "[[1,2],null,[],null]"],
    [["tokens", "*", "tags", "0"], "[1,null,null,null]"],
    [["tokens", "*", "*"], "[null,null,null,null]"],
    [["none"], "null"],
  ])("%j leads to its value", (path, value) => {
    expect(rawAt(text, path)).toBe(value);
  });

  test.each([
    [["missing"]],
    [["id", "length"]],
    [["id", "0"]],
    [["none", "x"]],
    [["tokens", "4"]],
    [["tokens", "00"]],
    [["tokens", "-1"]],
    [["tokens", "1e0"]],
    [["tokens", ""]],
    [["id", "*"]],
    [["24h", "*"]],
    [["*", "id"]],
    [["missing", "*"]],
  ])("%j leads to no value", (path) => {
    expect(rawAt(text, path)).toBeUndefined();
  });
});

describe("selected fields", () => {
  test("appear under the names as typed, in that order, with their original text", () => {
    const text = `{"a":[ {"n":1.10}, {} ],"b":{"c":4272800710322643001},"__proto__":1, "s":"x  y"}`;
    const names = ["b.c", "a.*.n", "a", "nope", "__proto__", "s", "b.c.d"];
    expect(createRowSelector(names)(text)).toBe(
      '{"b.c":4272800710322643001,"a.*.n":[1.10,null],"a":[{"n":1.10},{}],"nope":null,"__proto__":1,"s":"x  y","b.c.d":null}',
    );
  });

  test("can be selected from an array, and from a scalar", () => {
    expect(createRowSelector(["*.0", "1"])("[[1,2],[3]]")).toBe('{"*.0":[1,3],"1":[3]}');
    expect(createRowSelector(["a"])("7")).toBe('{"a":null}');
    expect(createRowSelector([])("{}")).toBe("{}");
  });
});

describe("a reader of many paths", () => {
  const steps = fc.constantFrom("a", "b", "0", "1", "*", "__proto__", "00", "");
  const paths = fc.array(fc.array(steps, { maxLength: 4 }), { maxLength: 6 });
  const values = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("1.10", "null", '"x, y"', "-0"),
      fc
        .array(fc.tuple(fc.constantFrom("a", "b", "0", "1", "__proto__"), tie("value")), { maxLength: 4 })
        // Names repeat, and one of them is written with an escape.
        .map(
          (members) =>
            `{ ${members.map(([name, text]) => `"${name.replace("a", "\\u0061")}" :${text}`).join(",")}}`,
        ),
      fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(" , ")}]`),
    ),
  })).value;

  test("finds the same value as each path alone", () => {
    fc.assert(
      fc.property(paths, values, (list, value) => {
        const text = ` ${value}\n`;
        expect(createPathReader(list)(text)).toEqual(list.map((path) => expectedAt(text, path)));
      }),
      { numRuns: isLong ? 1000 : 150 },
    );
  });
});
