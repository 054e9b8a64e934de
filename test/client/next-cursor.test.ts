import { expect, describe, test } from "vitest";
import { nextCursor, promisedCursor } from "../../src/client/pages/next-cursor.ts";
import { invalidResponse } from "../../src/base/failure.ts";
import { isObject } from "../../src/base/json/json-scan.ts";
import { fc } from "../harness/properties.ts";

const promised = (text: string): string | undefined => promisedCursor(Buffer.from(text));
const promise = '"has_next_page":true,"next_cursor":"c1"';
const row = (value: unknown): string => JSON.stringify({ id: "0x1", value });

describe("next-page fields", () => {
  const NEITHER = "invalid response: has_next_page is not true or false";
  test.each([
    ...["yes", "false", "", 0, 1, {}, []].map((said) => [{ has_next_page: said }, NEITHER] as const),
    [{ next_cursor: 1 }, "invalid response: next_cursor is not a string"],
    [{ has_next_page: true, next_cursor: ["c1"] }, "invalid response: next_cursor is not a string"],
    [{ next_cursor: "\ud800" }, "invalid response: next_cursor is too long or not valid Unicode"],
  ] as const)("%j is rejected: %s", (answer, problem) => {
    expect(() => nextCursor({ next_cursor: "c1", ...answer })).toThrow(invalidResponse(problem));
  });

  test.each([
    [{}, undefined],
    [{ next_cursor: null }, undefined],
    [{ next_cursor: "" }, undefined],
    [{ has_next_page: false, next_cursor: "c1" }, undefined],
    [{ has_next_page: null, next_cursor: "c1" }, "c1"],
    [{ next_cursor: "c1" }, "c1"],
    [{ has_next_page: true, next_cursor: "c1" }, "c1"],
    [{ has_next_page: true, next_cursor: "" }, null],
    [{ has_next_page: true, next_cursor: null }, null],
  ])("%j is the cursor %s", (answer, cursor) => {
    expect(nextCursor(answer)).toBe(cursor);
  });
});

describe("the cursor after the rows", () => {
  test.each([
    ["after the rows", `{"results":[${row(1)}],${promise}}`],
    ["after an empty list", `{"results":[],${promise}}`],
    ["beside the question, which has lists", `{"results":[],${promise},"query":{"chains":["a","b"],"n":1}}`],
    ["after other members", `{"results":[],"count":7,"query":{"n":1},${promise}}`],
    ["with white space", '{ "results" : [ ] ,\n "has_next_page" : true ,\n "next_cursor" : "c1" }\n'],
    ["the other way round", '{"results":[],"next_cursor":"c1","has_next_page":true}'],
  ])("is found %s", (_, text) => {
    expect(promised(text)).toBe("c1");
  });

  test.each([
    ["before the rows", `{${promise},"results":[]}`],
    ["in a row", `{"results":[{"a":[],${promise}}]}`],
    ["in the question", `{"results":[],"query":{"a":[],${promise}}}`],
    ["in a text of a row", `{"results":[${row(`],${promise}}`)}]}`],
    ["in a text at the end", `{"results":[],"note":${JSON.stringify(`],${promise}}`)}}`],
    ["without a promise", '{"results":[],"next_cursor":"c1"}'],
    ["after the last page", '{"results":[],"has_next_page":false,"next_cursor":"c1"}'],
    ["taken back", `{"results":[],${promise},"has_next_page":false}`],
    ["empty", '{"results":[],"has_next_page":true,"next_cursor":""}'],
    ["no text", '{"results":[],"has_next_page":true,"next_cursor":1}'],
    ["half a character", '{"results":[],"has_next_page":true,"next_cursor":"\\ud800"}'],
    ["too long", `{"results":[],"has_next_page":true,"next_cursor":"${"c".repeat(8193)}"}`],
    ["cut off", `{"results":[],${promise}`],
  ])("is not trusted %s", (_, text) => {
    expect(promised(text)).toBeUndefined();
  });

  test("always equals the cursor of the parsed response", () => {
    const text = fc
      .array(fc.constantFrom("]", ",", '"', "{", "}", "\\", promise, "],"), { maxLength: 6 })
      .map((pieces) => pieces.join(""));
    const name = fc.oneof(fc.constantFrom("has_next_page", "next_cursor"), text);
    const leaf = fc.oneof(text, fc.constant(true), fc.constant([]));
    const members = fc.dictionary(name, fc.oneof(leaf, fc.dictionary(name, leaf, { maxKeys: 3 })), {
      maxKeys: 4,
    });
    let sure = 0;
    fc.assert(
      fc.property(members, fc.array(members, { maxLength: 2 }), members, (before, results, after) => {
        const answer = JSON.stringify({
          ...before,
          results,
          next_cursor: "c2",
          has_next_page: true,
          ...after,
        });
        const whole: unknown = JSON.parse(answer);
        const early = promised(answer);
        if (early === undefined) return;
        sure += 1;
        expect(isObject(whole) && nextCursor(whole)).toBe(early);
      }),
      { numRuns: 1000 },
    );
    expect(sure).toBeGreaterThan(100);
  });
});
