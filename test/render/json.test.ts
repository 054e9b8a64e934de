import { anyCharacter, fc } from "../harness/properties.ts";
import { describe, expect, it } from "vitest";
import { compactJson } from "../../src/base/json/json-text.ts";
import { forbiddenIn, render, renderWrites } from "./render.ts";

const first = `[ {"id": "a", "amount": 4272800710322643001, "price": 1.10},\n {"id":"b","name":"x\\u202e\u202e, y"} ]`;
const second = `[{"id":"c","list":[],"deep":{"e":1E5}}]`;

describe("ndjson", () => {
  it("has one line per row with unchanged digits, and one write per page", async () => {
    expect(await renderWrites([first, "[]", second], { format: "ndjson" })).toEqual([
      `{"id":"a","amount":4272800710322643001,"price":1.10}\n{"id":"b","name":"x\\u202e\\u202e, y"}\n`,
      `{"id":"c","list":[],"deep":{"e":1E5}}\n`,
    ]);
  });

  it("is flat if fields are given", async () => {
    const fields = ["deep.e", "id", "list", "no.such"];
    expect(await render([first, second], { format: "ndjson", fields })).toBe(
      `{"deep.e":null,"id":"a","list":null,"no.such":null}\n{"deep.e":null,"id":"b","list":null,"no.such":null}\n` +
        `{"deep.e":1E5,"id":"c","list":[],"no.such":null}\n`,
    );
  });

  it("contains the group of a row only if there are several groups", async () => {
    const pages = [
      ["tokens", `[{"id":1.0}]`],
      ["pools", `[{"id":2}]`],
    ] as const;
    const options = { format: "ndjson", endpoint: "search" } as const;
    expect(await render(pages, { ...options, groups: ["tokens", "pools", "dexes"], fields: ["id"] })).toBe(
      `{"group":"tokens","row":{"id":1.0}}\n{"group":"pools","row":{"id":2}}\n`,
    );
    expect(await render(pages, { ...options, groups: ["pools"] })).toBe(`{"id":2}\n`);
  });
});

describe("json", () => {
  it("is one array over all pages, compact in a pipe", async () => {
    expect(await renderWrites([first, "[]", second], { format: "json" })).toEqual([
      `[{"id":"a","amount":4272800710322643001,"price":1.10},{"id":"b","name":"x\\u202e\\u202e, y"}`,
      `,{"id":"c","list":[],"deep":{"e":1E5}}`,
      "]\n",
    ]);
  });

  it("is pretty on a terminal", async () => {
    expect(
      await render([`[{"id":"c","list":[],"deep":{"e":1E5}}]`, `[{"n":[1,2.50]}]`], {
        format: "json",
        columns: 80,
      }),
    ).toBe(
      `[
  {
    "id": "c",
    "list": [],
    "deep": {
      "e": 1E5
    }
  },
  {
    "n": [
      1,
      2.50
    ]
  }
]
`,
    );
  });

  it.each([true, false])("is an empty array without rows (terminal: %s)", async (isTerminal) => {
    expect(await render([], { format: "json", isTerminal })).toBe("[]\n");
    expect(await render(["[]"], { format: "json", isTerminal })).toBe("[]\n");
  });

  it("is left open after a failed pull, and not started if the pull failed at once", async () => {
    expect(await render([second], { format: "json", isWhole: false })).not.toContain("\n");
    expect(await render(["[]"], { format: "json", isWhole: false })).toBe("");
  });

  it("of a record is the object", async () => {
    const row = `[{"id" : 1.0}]`;
    expect(await render([row], { format: "json", isRecord: true })).toBe(`{"id":1.0}\n`);
    expect(await render([row], { format: "json", isRecord: true, columns: 80 })).toBe(`{\n  "id": 1.0\n}\n`);
  });

  it("of several groups is an object with an array each, of one group a plain array", async () => {
    const pages = [
      ["tokens", `[{"id":1.0},{"id":2}]`],
      ["dexes", "[]"],
    ] as const;
    const options = { format: "json", endpoint: "search" } as const;
    expect(await render(pages, { ...options, groups: ["tokens", "pools"] })).toBe(
      `{"tokens":[{"id":1.0},{"id":2}],"pools":[]}\n`,
    );
    expect(await render(pages, { ...options, groups: ["tokens"], fields: ["x"] })).toBe(
      `[{"x":null},{"x":null}]\n`,
    );
  });
});

describe("any rows", () => {
  const rows = fc.array(fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()), { minLength: 1 });

  it("are the same value and the same tokens in every format, without a forbidden byte", async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 0, max: 3 }), async (list, indent) => {
        const text = JSON.stringify(list, undefined, indent);
        const pretty = await render([text], { format: "json", columns: 80 });
        const compact = await render([text], { format: "json" });
        const lines = await render([text], { format: "ndjson" });
        for (const output of [pretty, compact, lines]) expect(forbiddenIn(output)).toEqual([]);
        expect(`${compactJson(pretty)}\n`).toBe(compact);
        expect(`[${lines.trimEnd().split("\n").join(",")}]\n`).toBe(compact);
        expect(JSON.parse(compact)).toEqual(JSON.parse(text));
      }),
    );
  });
});
