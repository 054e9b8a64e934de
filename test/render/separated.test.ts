import { anyCharacter, fc } from "../harness/properties.ts";
import { describe, expect, it } from "vitest";
import {
  csv as csvText,
  separatedLine,
  tsv as tsvText,
} from "../../src/cli/render/formats/separated-rows.ts";
import { forbiddenIn, render, renderWrites } from "./render.ts";
import { parseCsv, parseTsv, textOfCsv } from "./separated-values.ts";

const first = `[ {"id": "a", "display_name": "One, \\"two\\"", "volume_usd_24h": 4272800710322643001, "pools_count": 1.10},\n {"id":"b","display_name":"=1+1"} ]`;
const second = `[{"id":"c","display_name":"","txns_24h":null,"new":true}]`;
const header = "id,display_name,volume_usd_24h,txns_24h,pools_count";

const writings = { csv: csvText, tsv: tsvText };

describe("csv", () => {
  it("has the table's columns with their paths, every digit, and one write per page", async () => {
    expect(await renderWrites([first, "[]", second], { format: "csv" })).toEqual([
      `${header}\na,"One, ""two""",4272800710322643001,,1.10\nb,'=1+1,,,\n`,
      `c,"",,,\n`,
    ]);
  });

  it("has the given fields, in that order, with nested values as compact JSON", async () => {
    const fields = ["deep.e", "id", "deep", "list.*.n", "no.such"];
    const rows = `[{"id":"c","deep":{ "e":1E5, "x":"\\u202e" },"list":[{"n":1.0},{}]}]`;
    expect(await render([rows], { format: "csv", fields })).toBe(
      `deep.e,id,deep,list.*.n,no.such\n1E5,c,"{""e"":1E5,""x"":""\\u202e""}","[1.0,null]",\n`,
    );
  });

  it("has a separate column for each name a column may have", async () => {
    const rows = `[{"id":"0x1","dex_id":"uniswap_v3"}]`;
    const lines = (await render([rows], { format: "csv", endpoint: "pool", isRecord: true })).split("\n");
    expect(lines[0]).toContain("tokens.0.symbol,tokens.1.symbol,chain,dex_name,dex_id,fee");
    expect(lines[1]).toBe(",,,,uniswap_v3,,,,,,,0x1");
    const candle = `[{"time_open":"2026-01-01T00:00:00Z","open":1,"high":2,"low":1,"close":2,"filled":true}]`;
    expect(await render([candle], { format: "csv", endpoint: "token_ohlcv" })).toBe(
      "time_open,open,high,low,close,volume,filled,partial\n2026-01-01T00:00:00Z,1,2,1,2,,true,\n",
    );
  });

  it("contains the group of a row if there are several groups, with the columns of all", async () => {
    const pages = [
      ["tokens", `[{"id":"0x1","fdv":2.0}]`],
      ["dexes", `[{"dex_id":"=x"}]`],
    ] as const;
    const options = { format: "csv", endpoint: "search" } as const;
    const text = await render(pages, { ...options, groups: ["tokens", "dexes"] });
    expect(text).toBe(
      "group,symbol,name,chain,price_usd,volume_usd,liquidity_usd,fdv,id,dex_id,dex_name,volume_usd_24h,txns_24h,pools_count\n" +
        "tokens,,,,,,,2.0,0x1,,,,,\ndexes,,,,,,,,,'=x,,,,\n",
    );
    expect(await render(pages, { ...options, groups: ["tokens"], fields: ["id"] })).toBe("id\n0x1\n");
  });

  it("has a header without rows, and no header if disabled or already written", async () => {
    expect(await render(["[]"], { format: "csv" })).toBe(`${header}\n`);
    expect(await render(["[]"], { format: "csv", isWhole: false })).toBe("");
    expect(await render([second], { format: "csv", hasHeader: false })).toBe(`c,"",,,\n`);
    expect(await render([second], { format: "csv", isContinued: true })).toBe(`c,"",,,\n`);
    expect(await render(["[]"], { format: "csv", isContinued: true })).toBe("");
  });

  it("never has an empty line, which readers skip", async () => {
    expect(await render([`[{},{"x":""},{"x":"\\\\."}]`], { format: "csv", fields: ["x"] })).toBe(
      `x\n""\n""\n"\\."\n`,
    );
  });

  it.each([
    ["-1.5", "-1.5"],
    ["1e-9", "1e-9"],
    ["-0", "-0"],
    ['"-1071032264300"', "-1071032264300"],
    ['"-1.5e+7"', "-1.5e+7"],
    ['"+1"', "'+1"],
    ['"-1+1"', "'-1+1"],
    ['"=HYPERLINK(\\"x\\")"', `"'=HYPERLINK(""x"")"`],
    ['"@SUM(A1)"', "'@SUM(A1)"],
    ['" =1"', "' =1"],
    ['"＝1"', "'＝1"],
    [`"'=1"`, "''=1"],
    [`"'tis"`, "'tis"],
    ['"\\t=1"', "'\\t=1"],
    ['"\\r\\n=1"', "'\\r\\n=1"],
    ["true", "true"],
    ['"null"', "null"],
  ])("writes %s as %s", async (value, cell) => {
    expect(await render([`[{"x":${value}}]`], { format: "csv", fields: ["x"] })).toBe(`x\n${cell}\n`);
  });
});

describe("tsv", () => {
  it("is the text format of COPY", async () => {
    const rows = `[{"a":"1\\t2\\n3\\\\4\\r","b":null,"c":"","d":{"x":"\\n"},"e":"\\u202e\\u0000","f":"=1"}]`;
    const fields = ["a", "b", "c", "d", "e", "f", "g"];
    expect(await render([rows], { format: "tsv", fields })).toBe(
      [
        fields.join("\t"),
        ["1\\t2\\n3\\\\4\\r", "\\N", "", '{"x":"\\\\n"}', "\\xe2\\x80\\xae\\x00", "=1", "\\N"].join("\t"),
        "",
      ].join("\n"),
    );
  });
});

describe("a table", () => {
  it("has no header line if disabled, and then no gap before a new table", async () => {
    const pages = [`[{"id":"0x1","txns_24h":1}]`, `[{"id":"0x1234567890","txns_24h":2}]`];
    expect(await render(pages, { hasHeader: false })).toBe("0x1             1\n0x1234567890         2\n");
    expect(await render(pages)).toBe(
      "NETWORK  TXNS 24H\n0x1             1\n\nNETWORK       TXNS 24H\n0x1234567890         2\n",
    );
  });
});

describe("any cells", () => {
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.stringMatching(/^[\s'=+\-@,"\\nrtu{}0-9.eE]{0,8}$/),
    fc.constantFrom("\\n", "\n", "\\\n", "\\u{202e}", "\u202e", "\\N", "\\.", "null", "\ud800", "\u{e0041}"),
  );
  const rows = fc.array(fc.array(fc.option(texts, { nil: undefined }), { minLength: 2, maxLength: 4 }));
  const written = (list: readonly (readonly (string | undefined)[])[], format: "csv" | "tsv"): string =>
    list
      .map((row) =>
        separatedLine(
          row.map((text) => JSON.stringify(text)),
          writings[format],
        ),
      )
      .join("");

  it("are parsed back unchanged, one line each, without a forbidden byte", () => {
    fc.assert(
      fc.property(rows, (list) => {
        const [csv, tsv] = [written(list, "csv"), written(list, "tsv")];
        for (const text of [csv, tsv]) {
          expect(forbiddenIn(text.replaceAll("\t", ""))).toEqual([]);
          expect(text.split("\n").length - 1).toBe(list.length);
        }
        expect(parseCsv(csv).map((row) => row.map(textOfCsv))).toEqual(list);
        expect(parseTsv(tsv)).toEqual(list);
      }),
      { numRuns: 300 },
    );
  });

  it("start no formula in csv, unless they are a number", () => {
    fc.assert(
      fc.property(rows, (list) => {
        const cells = parseCsv(written(list, "csv")).flat();
        const formulas = cells.filter((cell) => /^\s*[=+\-@＝＋－＠]/u.test(cell ?? ""));
        for (const cell of formulas) expect(cell).toMatch(/^-\d[\d.eE+-]*$/u);
      }),
      { numRuns: 300 },
    );
  });
});
