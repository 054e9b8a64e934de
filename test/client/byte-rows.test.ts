import { isLong } from "../harness/long.ts";
import { fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { createAnswerCutter } from "../../src/client/response/byte-rows.ts";
import { cutAnswer } from "../harness/cut-answer.ts";
import { readRows } from "../../src/client/page.ts";
import { type Rows, textRows } from "../../src/client/rows.ts";
import { isSafeJson } from "../../src/base/json/json-text.ts";
import { member, rawMembers } from "../../src/base/json/json-scan.ts";
import type { TextHash } from "../../src/base/text/text-hash.ts";
import { samples } from "../json/json-samples.ts";

const identity = ["chain", "id"];

/** Reads the same rows from the decoded text. */
function readAsText(text: string): Rows {
  const list = rawMembers(text).get("results");
  return textRows(readRows(list, member(JSON.parse(text), "results"), "results"), identity);
}

function hashOf(rows: Rows | undefined, index: number): TextHash | undefined {
  const hash = { high: 0, low: 0 };
  return rows?.hashKey(index, hash) === true ? hash : undefined;
}

function seen(rows: Rows): object {
  const keys = Array.from({ length: rows.length }, (_, index) => hashOf(rows, index));
  const marks = rows.marks().map((mark) => [...identity, "o"].map((field) => member(mark, field)));
  return { length: rows.length, texts: rows.texts(), values: rows.values(), keys, marks };
}

/** Returns undefined if the text is not JSON or has no list of rows. */
function readOrRefuse(text: string): object | undefined {
  try {
    return seen(readAsText(text));
  } catch {
    return undefined;
  }
}

const page = (rows: string, rest = ""): string => `{"results":[${rows}],"has_next_page":true${rest}}`;
const linesOf = (text: string): string | undefined => {
  const lines = cutAnswer(Buffer.from(text), "results", { identity, timeField: "o" })?.rows.lines();
  return lines === undefined ? undefined : Buffer.from(lines).toString();
};

const LONE = /\p{Surrogate}/u;

describe("rows read from bytes", () => {
  test("match the rows, values and keys read from the text", () => {
    const values = fc.tuple(samples(), samples(), samples());
    const rows = fc.array(
      values.map(([id, chain, other]) => `{"id":${id.text},"o":${other.text},"chain":${chain.text}}`),
    );
    fc.assert(
      fc.property(rows, samples(), (list, rest) => {
        const text = page(list.join(","), `,"rest":${rest.text}`);
        fc.pre(!LONE.test(text));
        const cut = cutAnswer(Buffer.from(text), "results", { identity, timeField: "o" });
        expect({ ...cut?.envelope, results: null }).toEqual(
          JSON.parse(text, (name, value: unknown) => (name === "results" ? null : value)),
        );
        expect(cut && seen(cut.rows)).toEqual(seen(readAsText(text)));
      }),
    );
  });

  test("are found the same way if all rows have the same keys and one row is broken or has another value", () => {
    const leaf = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(true, false, null, 7),
    );
    const shape = fc.array(fc.tuple(fc.stringMatching(/^[a-z_é]{0,20}$/u), fc.nat(2)), { maxLength: 6 });
    const lists = fc.tuple(shape, fc.array(fc.infiniteStream(leaf), { minLength: 2, maxLength: 5 }));
    const characters = fc.constantFrom(
      ...('{}[]:,"\\ 0-.etx\u00e9'.match(/./gsu) ?? []),
      "[]",
      "[1]",
      "{}",
      "null",
    );
    const edit = fc.tuple(fc.nat(), fc.boolean(), fc.option(characters, { nil: "" }));
    fc.assert(
      fc.property(lists, edit, ([names, streams], [place, isAdded, character]) => {
        const rows = streams.map((values) => {
          const next = (): unknown => values.next().value;
          const others = names.map(([name, depth]) => [name, [next(), [next()], { [name]: next() }][depth]]);
          return JSON.stringify({ chain: next(), ...Object.fromEntries(others), id: next() });
        });
        const whole = page(rows.join(","));
        const at = place % whole.length;
        const text = whole.slice(0, at) + character + whole.slice(isAdded ? at : at + 1);
        fc.pre(!LONE.test(text));
        const cut = cutAnswer(Buffer.from(text), "results", { identity, timeField: "o" });
        const read = readOrRefuse(text);
        if (text === whole) expect(cut).toBeDefined();
        if (cut !== undefined) expect(seen(cut.rows)).toEqual(read);
      }),
      { numRuns: isLong ? 1000 : 150 },
    );
  });

  test("of consecutive responses do not depend on earlier responses", () => {
    const key = fc.constantFrom("o", "é", "\u202e", "\u007f", "p");
    const value = fc.constantFrom("1", "2.5", '"a"', '"é"', '"\u202e"', "null", "[1]", "{}", "x", "");
    const blank = fc.constantFrom("", "", "", " ");
    const row = fc
      .tuple(key, value, blank, fc.nat(9), blank)
      .map(
        ([name, text, first, id, second]) => `{"id":${id},"chain":"c",${first}"${name}":${text}${second}}`,
      );
    const answer = fc.array(row, { maxLength: 4 }).map((rows) => page(rows.join(",")));
    fc.assert(
      fc.property(fc.array(answer, { minLength: 2, maxLength: 4 }), (texts) => {
        const noted = { identity, timeField: "o" };
        const cutNext = createAnswerCutter("results", noted);
        for (const text of texts) {
          const [rows, alone] = [
            cutNext(Buffer.from(text))?.rows,
            cutAnswer(Buffer.from(text), "results", noted)?.rows,
          ];
          expect(rows && seen(rows)).toEqual(alone && seen(alone));
          expect(rows?.lines()).toEqual(alone?.lines());
        }
      }),
      { numRuns: isLong ? 2000 : 250 },
    );
  });

  test("can outnumber the rows of all earlier responses and the initial capacity", () => {
    const cutNext = createAnswerCutter("results", { identity });
    for (const count of [3, 127, 128, 129, 700, 0, 1]) {
      const rows = Array.from({ length: count }, (_, id) => `{"id":${id},"chain":"c"}`);
      const { rows: read } = cutNext(Buffer.from(page(rows.join(",")))) ?? {};
      expect(read?.texts()).toEqual(rows);
      expect(read?.marks()).toEqual(rows.map((text): unknown => JSON.parse(text)));
    }
  });

  test.each([
    ["1.0", "1"],
    ["1e0", "1"],
    ["10e-1", "1"],
    ["-0", "0"],
    ["0.10", "0.1"],
    ["100000000000000", "1e14"],
    ["12345678901234567890", "12345678901234567000"],
    ["9007199254740993", "9007199254740992"],
    ['"\\u0041"', '"A"'],
    ['"\\/x0"', '"/x0"'],
    ['"abc\\/"', '"abc/"'],
    ['"é"', '"\\u00e9"'],
    ['""', '""'],
    ['"\\"0"', '"\\u00220"'],
    ['{"a": 0}', '{"a":0}'],
  ])("with the identity %s are equal to those with %s, as in the text", (one, other) => {
    const text = page(`{"id":${one},"chain":"a"},{"id":${other},"chain":"a"}`);
    const rows = cutAnswer(Buffer.from(text), "results", { identity, timeField: "o" })?.rows;
    expect(hashOf(rows, 0)).toEqual(hashOf(rows, 1));
    expect(rows && seen(rows)).toEqual(seen(readAsText(text)));
  });

  test("are output unchanged, one per line", () => {
    expect(linesOf(page('{"id":1.10},{"id":"a, b"}'))).toBe('{"id":1.10}\n{"id":"a, b"}\n');
    expect(linesOf(page('{"id":"é"},{"id":"日本"}'))).toBe('{"id":"é"}\n{"id":"日本"}\n');
    expect(linesOf(page('{"id":1}', ', "blank": 1'))).toBe('{"id":1}\n');
  });

  test("that keep() selects are output as JSON.stringify() writes them, unless they contain whitespace or characters to escape", () => {
    const written = samples().map(({ value }) => JSON.stringify(value));
    const row = fc.tuple(written, written, fc.boolean()).map(([id, other, isKept]) => ({
      text: `{"id":${id},"o":${other}}`,
      isKept,
    }));
    const pages = fc.tuple(fc.array(row), fc.constantFrom(",", ",", ",", ", ", "\n,"), samples());
    fc.assert(
      fc.property(pages, ([list, comma, { text: rest }]) => {
        const text = page(list.map((each) => each.text).join(comma), `,"rest":${rest}`);
        fc.pre(!LONE.test(text));
        const rows = cutAnswer(Buffer.from(text), "results", { identity, timeField: "o" })?.rows.keep(
          list.map((each) => each.isKept),
        );
        const kept = list.filter((each) => each.isKept).map((each) => each.text);
        expect(rows?.texts()).toEqual(kept);
        const expected = kept.map((each) => `${JSON.stringify(JSON.parse(each))}\n`).join("");
        const lines = rows?.lines();
        // The fast path may decline any row, but its output must be correct.
        if (lines !== undefined) expect(Buffer.from(lines).toString()).toBe(expected);
        if (lines !== undefined) expect(isSafeJson(expected)).toBe(true);
        const isPlain = isSafeJson(text) && (comma === "," || list.length < 2);
        expect(kept.length > 0 && isPlain && lines === undefined).toBe(false);
        expect(list.length > 1 && comma !== "," && lines !== undefined).toBe(false);
      }),
      { numRuns: isLong ? 500 : 100 },
    );
  });

  test("that keep() selects are output without the others", () => {
    const rows = cutAnswer(Buffer.from(page('{"id":1},{"id":2},{"id":3},{"id":4}')), "results", {
      identity,
    })?.rows;
    const kept = rows?.keep([true, false, true, true]);
    expect(kept?.texts()).toEqual(['{"id":1}', '{"id":3}', '{"id":4}']);
    expect(Buffer.from(kept?.lines() ?? []).toString()).toBe('{"id":1}\n{"id":3}\n{"id":4}\n');
    expect(rows?.keep([false, false, false, false]).length).toBe(0);
  });

  test.each([
    ["white space between tokens", '{"id": 1}'],
    ["white space between rows", '{"id":1}, {"id":2}'],
    ["a character that acts on a terminal", '{"id":"\u202e"}'],
    ["DEL", '{"id":"\u007f"}'],
  ])("with %s are not output unchanged", (_, rows) => {
    expect(linesOf(page(rows))).toBeUndefined();
    expect(cutAnswer(Buffer.from(page(rows)), "results", { identity, timeField: "o" })).toBeDefined();
  });

  test.each([
    ["no object", "[]"],
    ["no list", '{"results":{}}'],
    ["no such member", '{"rows":[]}'],
    ["a row that is no object", page("1")],
    ["two lists of that name", '{"results":[],"results":[]}'],
    ["a name spelt with escapes", '{"\\u0072esults":[]}'],
    ["an identity spelt with escapes", page('{"\\u0069d":1}')],
    ["more after its end", `${page("")}1`],
    ["a number that is none", page('{"a":01}')],
    ["half of it", page('{"a":1}').slice(0, -5)],
  ])("are not read from a response with %s", (_, text) => {
    expect(cutAnswer(Buffer.from(text), "results", { identity, timeField: "o" })).toBeUndefined();
  });

  test.each(['{"a":"?","results":[]}', page('{"id":"?"}'), page("", ',"z":"?"')])(
    "are not read from invalid UTF-8: %s",
    (text) => {
      const bytes = Buffer.from(text);
      bytes[bytes.indexOf("?")] = 0xff;
      expect(cutAnswer(bytes, "results", { identity, timeField: "o" })).toBeUndefined();
    },
  );
});
