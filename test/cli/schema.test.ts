import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { addFormats, Ajv2020 } from "./schema-validators.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { type Row, rowsOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

// A network with few pools, because its market is created quickly.
const token = "0x3e75a8e0409ef1ff79c2b7b1d85fe309c46347bc";
const pool = "0xf19559e278ae925ab609505cc38955b0e1d2a915";

/** Records with a command whose rows they describe, if it differs from the listed command. */
const commands: Readonly<Record<string, string>> = {
  pool: `pool fantom ${pool}`,
  transaction: `txns fantom ${pool}`,
  price: `prices fantom ${token} 0x0000000000000000000000000000000000000001 --missing null`,
  token: `token fantom ${token}`,
  "token-row": "tokens search fantom",
  "pool-row": "pools search fantom",
  "found-token": "search usdc --type tokens",
  "found-pool": "search usdc --type pools",
  "found-dex": "search uniswap --type dexes",
  candle: `ohlcv fantom ${token} --count-back 3 --fill null`,
  dex: "dexes fantom",
  "price-event": `stream fantom:${token} --limit 2`,
  "transaction-event": `stream fantom:${pool} --feed transactions --limit 2`,
  "candle-event": `stream fantom:${token} --feed ohlcv --limit 2`,
  "token-reserves-event": `stream fantom:${token} --feed reserves --limit 2`,
  "pool-reserves-event": `stream fantom:${pool} --feed reserves --by pool --limit 2`,
};

/** The clock is frozen until the streams start, then runs two hours per second so that they have events. */
let streamsStart: number | undefined;
const now = (): number =>
  sandboxNow + (streamsStart === undefined ? 0 : performance.now() - streamsStart) * 7200;
const sandbox = useSandbox({ now });
/**
 * Written by hand: the specification has no feed of reserves (wire-facts 5.5), and a search creates the
 * market of every network.
 */
const byHand: Readonly<Record<string, string>> = {
  "found-token":
    '{"id":"0x1","name":"a","symbol":"A","chain":"fantom","decimals":18,"total_supply":9999979509174084,"fdv":1e18,"price_usd":null}',
  "found-pool":
    '{"id":"0x2","dex_id":"0x3","dex_name":"d","chain":"fantom","created_at":"2026-11-21T08:54:00Z","transactions":7,"tokens":[{"id":"0x1"}]}',
  "found-dex": '{"dex_id":"d","dex_name":"D","chain":"fantom","volume_usd_24h":1.5,"txns_24h":7}',
  "token-reserves-event":
    '{"chain":"fantom","token_id":"0x1","reserve":"36208474893719270000000","delta":"-1","block":"7","price_usd":1.5,"reserve_usd":2,"delta_usd":-0.1,"updated_at":1,"timestamp":2}',
  "pool-reserves-event":
    '{"chain":"fantom","pool_id":"0x2","block":"7","previous_block":"6","tokens":[{"token_id":"0x1","reserve":"1","delta":"-1","price_usd":1.5,"reserve_usd":2,"delta_usd":-0.1}],"total_reserve_usd":4,"total_delta_usd":1e-9,"timestamp":2,"block_timestamp":1}',
};

const lines = new Map<string, string>();
beforeAll(async () => {
  for (const { record, command: listed } of rowsOf((await dexdata("schema")).stdout)) {
    const name = String(record);
    const line = byHand[name];
    const command = commands[name] ?? String(listed).replace("dexdata ", "");
    if (line !== undefined) {
      lines.set(name, `${line}\n`);
      continue;
    }
    if (command.startsWith("stream")) streamsStart ??= performance.now();
    const { exit, stdout, stderr } = await dexdata(`${command} -q -o ndjson`, {
      env: sandbox.env(),
      speed: 1,
    });
    if (name !== "price") expect({ name, exit, stderr }).toEqual({ name, exit: 0, stderr: "" });
    lines.set(name, stdout);
  }
});

test("verify has no finding in the rows and events of any record, also with --envelope", async () => {
  const folder = temporaryFolder();
  for (const [name, text] of lines) {
    const file = path.join(folder, `${name}.ndjson`);
    const wrapped = text.split("\n").filter((line) => line !== "");
    const envelope = name.endsWith("-event")
      ? wrapped.map((line) => `{"feed":"x","event":"y","received":"z","data":${line}}\n`)
      : wrapped.map((line) => `{"first_seen":"x","row":${line}}\n`);
    for (const content of [text, envelope.join("")]) {
      writeFileSync(file, content);
      const { exit, stdout } = await dexdata(["verify", file]);
      expect({ name, exit }, stdout).toEqual({ name, exit: 0 });
    }
  }
});

async function printed(line: string): Promise<string> {
  const { exit, stdout, stderr } = await dexdata(`schema ${line}`);
  expect({ line, exit, stderr }).toEqual({ line, exit: 0, stderr: "" });
  return stdout;
}

test("lists every record with the command that prints it", async () => {
  const { stdout } = await dexdata("schema");
  const listed = new Map(rowsOf(stdout).map(({ record, command }) => [String(record), String(command)]));
  expect([...listed.keys()]).toEqual([...lines.keys()]);
  expect([...listed.keys()]).toEqual(expect.arrayContaining(Object.keys(commands)));
  for (const [name, command] of Object.entries(commands))
    expect(command.split(" ")).toEqual(
      expect.arrayContaining((listed.get(name) ?? "none").split(" ").slice(1)),
    );
});

test("finds a record by its name and by its command, and suggests the closest for others", async () => {
  const byName = await printed("transaction");
  expect(await printed("txns")).toBe(byName);
  expect(await printed("txns --as jsonschema")).toBe(byName);
  expect(await printed("POOL_ROW")).toBe(await printed("pools search"));
  expect(await dexdata("schema transction -o table")).toMatchObject({
    exit: 2,
    stdout: "",
    stderr: 'error: unknown record "transction"\n  hint: did you mean transaction?\n',
  });
  expect((await dexdata("schema search -o table")).stderr).toBe(
    'error: unknown record "search"\n  hint: choose one of: found-token, found-pool, found-dex\n',
  );
  expect((await dexdata("schema tokens -o table")).stderr).toBe(
    'error: unknown record "tokens"\n  hint: did you mean token-row?\n',
  );
  expect(await dexdata("schema pool --dialect sqlite -o table")).toMatchObject({
    exit: 2,
    stderr: "error: --dialect requires --as sql\n",
  });
  expect(await dexdata("schema --as sql -o table")).toMatchObject({
    exit: 2,
    stderr: "error: missing <record>\n  hint: list them: dexdata schema\n",
  });
});

test("the JSON Schema accepts every line of its command, and none without a required field", async () => {
  for (const [name, text] of lines) {
    const schema: unknown = JSON.parse(await printed(name));
    const validate = addFormats(new Ajv2020({ strict: true, allowUnionTypes: true })).compile(Object(schema));
    const rows = rowsOf(text);
    expect(rows.length, name).toBeGreaterThan(0);
    for (const row of rows) {
      expect({ name, isValid: validate(row), errors: validate.errors }).toEqual({
        name,
        isValid: true,
        errors: null,
      });
    }
    const [first = {}] = rows;
    for (const required of Object(schema).required ?? [])
      expect(validate(without(first, String(required))), `${name} without ${required}`).toBe(false);
  }
});

function without(row: Row, field: string): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== field));
}

test("the TypeScript compiles, and the lines have its types", async () => {
  const folder = temporaryFolder();
  const parts: string[] = [];
  for (const [name, text] of lines) {
    const type = name.replaceAll(/(?:^|-)([a-z])/gu, (_, letter: string) => letter.toUpperCase());
    parts.push(await printed(`${name} --as ts`));
    // The service may add fields: a value that is not a literal may have extra ones.
    parts.push(`const lines${type} = [${text.trim().replaceAll("\n", ",\n")}];`);
    parts.push(`export const rowsOf${type}: ${type}[] = lines${type};\n`);
  }
  writeFileSync(path.join(folder, "rows.ts"), parts.join("\n"));
  const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--types", "", "rows.ts"];
  const tsc = path.resolve("node_modules/.bin/tsc");
  const ran = spawnSync(process.execPath, [tsc, ...flags], { cwd: folder, encoding: "utf8" });
  expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 0, stdout: "" });
});

const hasSqlite = spawnSync("sqlite3", ["--version"]).status === 0;
if (!hasSqlite) console.warn("LEFT OUT: there is no sqlite3 here, so no table was made with the printed SQL");

describe.skipIf(!hasSqlite)("the SQL", () => {
  test("creates the tables of every dialect that SQLite reads, with a column for each field", async () => {
    const script: string[] = [];
    for (const name of lines.keys()) {
      const table = `"${name.replaceAll("-", "_")}"`;
      for (const dialect of ["postgres", "sqlite", "duckdb"])
        script.push(await printed(`${name} --as sql --dialect ${dialect}`), `DROP TABLE ${table};\n`);
    }
    expect(execFileSync("sqlite3", [":memory:"], { input: script.join(""), encoding: "utf8" })).toBe("");
  });

  test("creates a table for SQLite that keeps every digit", async () => {
    const row = `{"id":"0x1","log_index":7,"token_0":"0xa","token_1":"0xb","amount_0":-123456789012345678901234567890,"amount_1":"340282366920938463463374607431768211455","price_0_usd":1.10,"created_at":"2026-11-21T08:54:00.123456789Z"}`;
    const columns = (await printed("transaction --as sql --dialect sqlite")).match(
      /"\w+"(?= (?:TEXT|INT))/gu,
    );
    const values = columns?.map((column) =>
      /amount|price/u.test(column) ? `trim('${row}' -> '$.${column}', '"')` : `'${row}' ->> '$.${column}'`,
    );
    const script = [
      await printed("transaction --as sql --dialect sqlite"),
      `INSERT INTO "transaction" SELECT ${values?.join(", ")};`,
      'SELECT log_index + 1, amount_0, amount_1, price_0_usd, created_at FROM "transaction";',
    ];
    expect(execFileSync("sqlite3", [":memory:"], { input: script.join("\n"), encoding: "utf8" })).toBe(
      "8|-123456789012345678901234567890|340282366920938463463374607431768211455|1.10|2026-11-21T08:54:00.123456789Z\n",
    );
  });
});
