import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { parseCsv } from "../render/separated-values.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";

const sandbox = useSandbox({ requestsPerMinute: 100_000 });

const POOL = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

const run = async (words: string) =>
  await dexdata(`${words} --error-format text`, { env: sandbox.env(), now: sandboxNow });

describe("csv and tsv of txns", () => {
  test.each(["csv", "tsv"])("%s has both fields of a row's key", async (format) => {
    const rows = rowsOf((await run(`txns ethereum ${POOL} --limit 20 -o ndjson`)).stdout);
    const { stdout } = await run(`txns ethereum ${POOL} --limit 20 -o ${format}`);
    const [header = [], ...lines] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(format === "csv" ? "," : "\t"));
    const key = ["id", "log_index"].map((name) => header.indexOf(name));
    expect(lines.map((cells) => key.map((index) => cells[index]))).toEqual(
      rows.map((row) => [row["id"], String(row["log_index"])]),
    );
  });
});

describe("--fields '*'", () => {
  test.each([
    `pool ethereum ${POOL}`,
    `txns ethereum ${POOL} --limit 2`,
    `ohlcv ethereum ${WETH} --from -3h`,
    "search pepe",
    "networks --limit 3",
    "api /networks/ethereum/dexes",
  ])("%s: changes nothing in formats with all fields, and in tables", async (words) => {
    for (const format of ["ndjson", "table"]) {
      const all = await run(`${words} -o ${format}`);
      expect(all).toMatchObject({ exit: 0, stdout: expect.stringMatching(/./u) });
      const { exit, stdout, stderr } = await run(`${words} -o ${format} --fields *`);
      expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: all.stdout, stderr: all.stderr });
    }
  });

  test.each([
    `txns ethereum ${POOL} --limit 2`,
    `txns ethereum ${POOL} --limit 2 --amounts tokens`,
    `ohlcv ethereum ${WETH} --count-back 2`,
    "pools search ethereum --limit 2",
    "tokens search ethereum --limit 2",
    `pool ethereum ${POOL}`,
    `token ethereum ${WETH}`,
    `prices ethereum ${WETH}`,
    "networks --limit 2",
    "dexes ethereum --limit 2",
    "search pepe",
  ])("%s: csv and tsv have a column for each field of the NDJSON rows", async (words) => {
    const rows = rowsOf((await run(`${words} -o ndjson`)).stdout);
    const names = new Set(rows.flatMap((row) => Object.keys(Object(row["row"] ?? row))));
    expect(names.size).toBeGreaterThan(1);
    for (const format of ["csv", "tsv"]) {
      const { exit, stdout, stderr } = await run(`${words} -o ${format} --fields *`);
      const header = new Set(stdout.split("\n")[0]?.split(format === "csv" ? "," : "\t"));
      const lacking = [...names].filter((name) => !header.has(name));
      expect({ exit, stderr, lacking }).toEqual({ exit: 0, stderr: "", lacking: [] });
    }
  });

  test.each(["*,id", "id,*", "*.id,chain"])("with other fields (%s) is rejected", async (fields) => {
    const { exit, stderr } = await run(`pool ethereum ${POOL} --fields ${fields}`);
    expect(exit).toBe(2);
    expect(stderr).toBe(
      `error: invalid --fields "${fields}": * means all fields, so it must be the only one\n`,
    );
  });
});

describe("a field that no row can have", () => {
  test.each([
    [`txns ethereum ${POOL}`, "amout_0", "a transaction does not have this field", "did you mean amount_0?"],
    [`txns ethereum ${POOL}`, "size_usd", "a transaction does not have this field", "add --amounts tokens"],
    [
      `txns ethereum ${POOL}`,
      "amount_0_tokens",
      "a transaction does not have this field",
      "add --amounts tokens",
    ],
    [`txns ethereum ${POOL}`, "zzz", "a transaction does not have this field", "list fields: --fields '?'"],
    [
      `txns ethereum ${POOL} --follow`,
      "zzz",
      "a transaction does not have this field",
      "list fields: --fields '?'",
    ],
    [
      `prices ethereum ${WETH} --at -2h`,
      "address",
      "a past price does not have this field",
      "did you mean id?",
    ],
    [
      `pool ethereum ${POOL}`,
      "id,tokns.0.id",
      "a pool does not have this field",
      "did you mean tokens.0.id?",
    ],
    [
      `token ethereum ${WETH}`,
      "price_usd",
      "a token does not have this field",
      "did you mean summary.price_usd?",
    ],
    [
      `token ethereum ${WETH} --watch 5s`,
      "symbl",
      "a token does not have this field",
      "did you mean symbol?",
    ],
    ["tokens search ethereum", "chain,id", "a token row does not have this field", "did you mean address?"],
    ["tokens search --chains base", "symbl", "a token row does not have this field", "did you mean symbol?"],
    ["pools search ethereum", "address", "a pool row does not have this field", "did you mean id?"],
    [
      "pools search ethereum",
      "volume",
      "a pool row does not have this field",
      "did you mean volume_usd_24h?",
    ],
    [
      "pools search ethereum",
      "volume_usd",
      "a pool row does not have this field",
      "did you mean volume_usd_24h?",
    ],
    [`prices ethereum ${WETH}`, "address", "a price does not have this field", "did you mean id?"],
    ["search weth", "address", "a result does not have this field", "did you mean id?"],
    ["search weth --type dexes", "dex_nam", "a found dex does not have this field", "did you mean dex_name?"],
    ["networks", "name", "a network does not have this field", "did you mean display_name?"],
    ["dexes ethereum", "id", "a dex does not have this field", "did you mean dex_id?"],
    ["networks", "idd", "a network does not have this field", "did you mean id?"],
    ["dexes ethereum", "dex_nmae", "a dex does not have this field", "did you mean dex_name?"],
    [`ohlcv ethereum ${WETH}`, "opne", "a candle does not have this field", "did you mean open?"],
    [
      `token ethereum ${WETH}`,
      "summary.price",
      "a token does not have this field",
      "did you mean summary.price_usd?",
    ],
    [
      "api /networks/ethereum/tokens/search --paginate",
      "id",
      "a token row does not have this field",
      "did you mean address?",
    ],
  ])("%s --fields %s is rejected before a request", async (words, fields, problem, hint) => {
    sandbox.takeLog();
    const { exit, stderr } = await run(`${words} --fields ${fields}`);
    const field = fields.split(",").at(-1);
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: `error: invalid --fields "${field}": ${problem}\n  hint: ${hint}\n`,
    });
    expect(sandbox.takeLog()).toEqual([]);
  });

  test("is reported after the request where the service may send more fields, or deeper in a row", async () => {
    for (const words of [
      "networks --limit 1 --fields zzz",
      `ohlcv ethereum ${WETH} --from -2h --fields zzz`,
      `token ethereum ${WETH} --fields summary.zzz`,
      "usage --fields credits.zzz",
    ]) {
      const { exit, stderr } = await run(words);
      expect(exit).toBe(0);
      expect(stderr).toMatch(/^warning: no row has the field "(?:summary\.|credits\.)?zzz"/u);
    }
  });
});

describe("--fields '?'", () => {
  test.each([
    ["token", "summary.24h.volume", "amount in tokens"],
    ["token", "summary.24h.volume_usd", "amount in USD"],
    ["token", "decimals", ""],
    ["txns", "log_index", ""],
    ["txns", "transaction_index", ""],
    ["txns", "price_0", "price"],
    ["txns --amounts tokens", "type", "swap, liquidity, ?"],
    ["txns", "price_0_usd", "price in USD"],
    ["ohlcv", "volume", "amount in USD"],
    ["usage", "credits.remaining", "count"],
  ])("%s: the meaning of %s is %j", async (command, field, meaning) => {
    const { stdout } = await dexdata([...command.split(" "), "--fields", "?", "-o", "csv"]);
    const [header = [], ...rows] = parseCsv(stdout);
    const row = rows.find((cells) => cells[header.indexOf("field")] === field);
    expect(row?.[header.indexOf("meaning")] ?? "").toBe(meaning);
  });

  test.each(["--at -2h", "--at -2h --at -3h", `--at -2h --in ethereum:${WETH}`, "--at -2h --pool"])(
    "prices %s: the fields and columns are those of the rows",
    async (flags) => {
      const asset = `ethereum:${flags.includes("pool") ? POOL : WETH}`;
      const rows = await run(`prices ${asset} ${flags} -o ndjson`);
      const table = await run(`prices ${asset} ${flags} -o wide`);
      const [fields, columns] = await Promise.all(
        ["fields", "columns"].map(
          async (name) => await run(`prices ${flags} --${name} ? -o ndjson --no-header`),
        ),
      );
      const named = rowsOf(fields?.stdout ?? "").map(({ field }) => field);
      expect(named).toEqual(Object.keys(rowsOf(rows.stdout)[0] ?? {}));
      const [header = ""] = table.stdout.toLowerCase().split("\n");
      const shown = header.split(/ {2,}/u).map((title) => title.replace(" ", "-"));
      expect(rowsOf(columns?.stdout ?? "").map(({ column }) => column)).toEqual(shown);
    },
  );
});
