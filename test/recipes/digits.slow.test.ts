import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { typeInConsole } from "../harness/console.ts";
import { secretMark } from "../harness/key-search.ts";
import { consoleSections, type Step } from "../harness/readme.ts";
import { useRecipeDesk } from "../harness/recipe-desk.ts";
import { leftOut, type Tool } from "../harness/recipe-tools.ts";
import { json, type ScriptedServer, startScriptedServer } from "../harness/scripted-server.ts";

/**
 * More digits than fit in a double, as numbers and as strings: 30 before and 20 after the decimal point. And
 * null.
 */
const rows = [
  `{"id":"0x1","log_index":7,"token_0":"0xa","token_0_symbol":"W\\"E, \\\\N","token_1":"0xb","amount_0":-123456789012345678901234567890,"amount_1":"340282366920938463463374607431","price_0":0.12345678901234567890,"price_0_usd":1.10,"created_at":"2026-11-21T08:53:00.123456Z"}`,
  `{"id":"0x2","log_index":9007199254740993,"token_0":"0xa","token_1":"0xb","amount_0":1,"amount_1":"-2","price_0":1e-20,"price_0_usd":null,"created_at":"2026-11-21T08:52:00Z"}`,
];
const answer = `{"transactions":[${rows.join(",")}],"page_info":{"limit":100,"page":1,"total_items":2,"total_pages":1}}`;

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer(() => json(answer));
});
afterAll(async () => await server.close());

const desk = useRecipeDesk(() => ({
  DEXDATA_NOW: "2026-11-21T08:54:00Z",
  DEXDATA_PRO_BASE_URL: server.url,
  DEXDATA_API_KEY: `api_dev_${secretMark}_recipes`,
  DEXDATA_TIER: "dev",
}));

const sections = consoleSections();
const stepsOf = (heading: string): readonly Step[] =>
  sections.find((section) => section.heading === heading)?.steps ?? [];

/** Its lines unchanged, except for the sandbox at the start and the query at the end. */
async function fill(heading: string): Promise<void> {
  const steps = [...stepsOf("Recipes"), ...stepsOf("DuckDB"), ...stepsOf(heading)];
  const setting = steps.filter(({ command }) => /^\w+=/u.test(command));
  // The SQLite recipe reads the file of the DuckDB recipe.
  const isThere = existsSync(path.join(desk().folder, "swaps.csv"));
  const csv = stepsOf("DuckDB").filter(
    ({ command }) => heading === "SQLite" && !isThere && command.includes("--out"),
  );
  const typed = await typeInConsole(desk(), [...csv, ...stepsOf(heading).slice(0, -1)], setting);
  expect(typed.filter(({ exit }) => exit !== 0)).toEqual([]);
}

const ask = (program: string, ...words: readonly string[]): string =>
  execFileSync(program, words, {
    cwd: desk().folder,
    env: { ...process.env, ...desk().env },
    encoding: "utf8",
  });

const columns = "log_index, token_0_symbol, amount_0, amount_1, price_0, price_0_usd";

type Recipe = readonly [heading: string, needed: readonly Tool[], read: () => string, expected: string];

const recipes: readonly Recipe[] = [
  [
    "DuckDB",
    ["script", "jq", "duckdb"],
    () =>
      ask("duckdb", "-csv", "market.duckdb", `SELECT ${columns}, created_at FROM transaction ORDER BY id`) +
      ask(
        "duckdb",
        "-csv",
        "market.duckdb",
        "SELECT amount_0::HUGEINT - 1 AS less, price_0::DECIMAL(38, 20) AS price, log_index + 1 AS next FROM transaction ORDER BY id",
      ),
    `${columns.replaceAll(" ", "")},created_at
7,W"E, \\N,-123456789012345678901234567890,340282366920938463463374607431,0.12345678901234567890,1.10,2026-11-21 08:53:00.123456+00
9007199254740993,,1,-2,1e-20,,2026-11-21 08:52:00+00
less,price,next
-123456789012345678901234567891,0.12345678901234567890,8
0,0.00000000000000000001,9007199254740994
`,
  ],
  [
    "SQLite",
    ["script", "jq", "sqlite3"],
    () =>
      ask(
        "sqlite3",
        "market.db",
        `SELECT ${columns}, price_0_usd IS NULL, log_index + 1, created_at FROM "transaction" ORDER BY id`,
      ),
    `7|W"E, \\N|-123456789012345678901234567890|340282366920938463463374607431|0.12345678901234567890|1.10|0|8|2026-11-21T08:53:00.123456Z
9007199254740993||1|-2|1e-20||1|9007199254740994|2026-11-21T08:52:00Z
`,
  ],
  [
    "PostgreSQL COPY",
    ["script", "jq", "psql"],
    () =>
      ask(
        "psql",
        "-At",
        "-c",
        `SELECT ${columns}, price_0_usd IS NULL, amount_0 - 1, created_at AT TIME ZONE 'UTC' FROM "transaction" ORDER BY id`,
      ),
    `7|W"E, \\N|-123456789012345678901234567890|340282366920938463463374607431|0.12345678901234567890|1.10|f|-123456789012345678901234567891|2026-11-21 08:53:00.123456
9007199254740993||1|-2|0.00000000000000000001||t|0|2026-11-21 08:52:00
`,
  ],
];

describe("the recipes keep 30 digits of an integer, 20 decimals, and null as null:", () => {
  for (const [heading, needed, read, expected] of recipes) {
    const reason = leftOut(`the digits of "${heading}" were not tried`, needed);
    test.skipIf(reason !== undefined)(reason ?? heading, async () => {
      await fill(heading);
      expect(read()).toBe(expected);
    });
  }
});

describe("jq", () => {
  const reason = leftOut("what jq makes of digits was not tried", ["script", "jq"]);
  test.skipIf(reason !== undefined)(
    reason ?? "keeps texts whole, and numbers from 1.7 on as the recipes describe",
    async () => {
      const command =
        "dexdata txns ethereum 0x0000000000000000000000000000000000000001 -q | jq -r '.amount_0, .amount_1' | head -2";
      const [typed] = await typeInConsole(desk(), [{ command, shown: [] }]);
      const [, minor = "0"] = /^jq-1\.(\d+)/u.exec(ask("jq", "--version")) ?? [];
      const number =
        Number(minor) < 7 ? "-123456789012345680000000000000" : "-123456789012345678901234567890";
      expect(typed?.screen).toBe(`${number}\n340282366920938463463374607431\n`);
    },
  );
});
