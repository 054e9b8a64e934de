import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe, expect, test } from "vitest";
import { rowShape } from "../../src/api/endpoint.ts";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { poolTransactions } from "../../src/api/endpoints/pool-transactions.ts";
import { otherColumn } from "../../src/rows/parquet-format.ts";
import { readParquet } from "../../src/rows/parquet-file.ts";
import { parquetEncoder } from "../../src/rows/parquet-writer.ts";
import { dexdata } from "../harness/dexdata.ts";
import { breakAt, pullOfPages, servePages } from "../harness/paged-list.ts";
import { toRow } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { bytes } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { linesOf, open } from "../parquet/memory-file.ts";
import { differences } from "../parquet/same-row.ts";

const sandbox = useSandbox();
const folder = temporaryFolder();
let count = 0;
const newFile = (name = "rows.parquet"): string => {
  count += 1;
  mkdirSync(path.join(folder, String(count)));
  return path.join(folder, String(count), name);
};
const near = (file: string): readonly string[] => readdirSync(path.dirname(file)).toSorted();
const rowsIn = async (file: string): Promise<readonly string[]> =>
  await linesOf(await open(readFileSync(file)));
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

describe("every command with rows", () => {
  const commands = endpoints
    // The usage changes with each request.
    .filter(({ reply, id }) => reply.kind !== "groups" && id !== "usage")
    .flatMap((endpoint) => endpoint.examples.slice(0, 1).map((example) => ({ endpoint, example })));
  test.each([
    ...commands.map(({ endpoint, example }) => [example.replaceAll("'", ""), rowShape(endpoint)] as const),
    ...endpoints.flatMap((endpoint) =>
      endpoint.reply.kind === "groups"
        ? endpoint.reply.groups.map(
            (group) => [`dexdata search uni --type ${group}`, rowShape(endpoint, group)] as const,
          )
        : [],
    ),
  ])("%s", async (example, { record, added }) => {
    const words = `${example.replace(/ -o \w+/u, "").replace("dexdata ", "")} -q`;
    const file = newFile();
    const env = sandbox.env();
    const [toFile, ndjson] = [
      await dexdata(`${words} --out ${file}`, { env }),
      await dexdata(`${words} -o ndjson`, { env }),
    ];
    expect([toFile.stderr, toFile.exit]).toEqual(["", 0]);
    const sent = ndjson.stdout.split("\n").slice(0, -1);
    const rows = await rowsIn(file);
    expect(sent.length).toBeGreaterThan(0);
    expect(rows).toHaveLength(sent.length);
    const shape = { ...record, ...added?.record };
    expect(sent.flatMap((row, index) => differences(row, rows[index] ?? "", shape))).toEqual([]);
    expect(near(file)).toEqual(["rows.parquet"]);
  });
});

test("a pipe gets the bytes of a file", async () => {
  const file = newFile();
  await dexdata(`pool ethereum ${pool} --out ${file}`, { env: sandbox.env() });
  const { exit, context } = await dexdata(`pool ethereum ${pool} -o parquet`, { env: sandbox.env() });
  expect([exit, context.stdout.bytes().equals(readFileSync(file))]).toEqual([0, true]);
});

test("--fields selects exactly these columns, with the types of the contract", async () => {
  const file = newFile();
  const words = `pools search ethereum --limit 3 --fields tokens.0.id,id,volume_usd_24h,created_at,tokens.*.id,tokens,nothing`;
  expect((await dexdata(`${words} --out ${file}`, { env: sandbox.env() })).exit).toBe(0);
  const { columns } = await open(readFileSync(file));
  expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "tokens.0.id text",
    "id text",
    "volume_usd_24h double",
    "created_at time",
    "tokens.*.id json",
    "tokens json",
    "nothing json",
  ]);
  const [row] = await rowsIn(file);
  expect(Object.keys(toRow(row ?? ""))).toEqual(columns.slice(0, -1).map(({ name }) => name));
});

const transaction = (amount: string): string =>
  `{"id":"0x1","log_index":1,"token_0":"0xa","token_1":"0xb","amount_0":${amount},"amount_1":"1","created_at":"2026-11-20T08:54:00.123456789Z","sent_later":[1.10]}`;

async function serveTransactions(amounts: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const list = amounts.map((amount, index) =>
    transaction(amount).replace('"log_index":1', `"log_index":${index}`),
  );
  const page = `{"transactions":[${list.join(",")}],"page_info":{"limit":100,"page":1,"total_items":${list.length},"total_pages":1}}`;
  const server = await serveInTest(() => bytes(Buffer.from(page), { "content-type": "application/json" }));
  return { DEXDATA_BASE_URL: server.url };
}

describe("values that do not fit", () => {
  const huge = `1${"0".repeat(40)}`;
  const words = `txns ethereum ${pool} -q`;

  test.each([true, false])(
    "are in the column other, in the receipt and on stderr (to a file: %s)",
    async (isFile) => {
      const env = await serveTransactions([huge, '"-7"', '"many"']);
      const [file, receipt] = [newFile(), newFile("receipt.json")];
      const to = isFile ? `--out ${file}` : "-o parquet";
      const { exit, stderr, context } = await dexdata(`${words} ${to} --receipt ${receipt}`, { env });
      expect([exit, stderr]).toEqual([
        0,
        "note: amount_0: 2 values do not fit DECIMAL(38,0); their exact text is in the column other\n" +
          "note: created_at: 3 values do not fit TIMESTAMP(MICROS); their exact text is in the column other\n",
      ]);
      const written = isFile ? readFileSync(file) : context.stdout.bytes();
      const parquet = await open(written);
      const rows = await linesOf(parquet);
      const [first, second] = rows.map((row) => toRow(row));
      expect(first?.["amount_0"]).toBe(undefined);
      expect(rows[0]).toContain(
        `"other":{"amount_0":${huge},"created_at":"2026-11-20T08:54:00.123456789Z","sent_later":[1.10]}`,
      );
      expect(second).toMatchObject({ amount_0: "-7", created_at: "2026-11-20T08:54:00.123456Z" });
      const { rows_sha256 } = await readParquet(parquet);
      const spilled = { amount_0: 2, created_at: 3 };
      expect(toRow(readFileSync(receipt, "utf8"))["output"]).toEqual({
        file: isFile ? file : null,
        format: "parquet",
        bytes: written.length,
        sha256: createHash("sha256").update(written).digest("hex"),
        rows_sha256,
        spilled,
      });
      const footer = toRow(parquet.receipt);
      expect(footer).toMatchObject({ command: "txns", rows: 3, rows_sha256, spilled, complete: true });
      for (const changing of ["credits", "requests", "now", "started", "ended", "plan", "query"])
        expect(footer).not.toHaveProperty(changing);
    },
  );

  test("one value, which is all that is reported", async () => {
    const env = await serveTransactions([huge]);
    const { stderr } = await dexdata(`${words} -o parquet`, { env });
    expect(stderr).toContain(
      "note: amount_0: 1 value does not fit DECIMAL(38,0); its exact text is in the column other\n",
    );
  });

  test("are rejected with --fields, which leaves no place for them", async () => {
    const env = await serveTransactions(["7", huge]);
    const file = newFile();
    const { exit, stderr } = await dexdata(
      `${words} --fields id,amount_0 --out ${file} --error-format text`,
      { env },
    );
    expect(exit).toBe(1);
    expect(stderr).toContain(`error: amount_0: ${huge} does not fit DECIMAL(38,0)`);
    expect(stderr).toContain(
      "hint: leave out --fields; the column other then has the exact text of such values",
    );
    expect(near(file)).not.toContain("rows.parquet");
    const other = newFile();
    expect((await dexdata(`${words} --fields id,amount_1 --out ${other}`, { env })).exit).toBe(0);
    expect(await rowsIn(other)).toEqual(['{"id":"0x1","amount_1":"1"}', '{"id":"0x1","amount_1":"1"}']);
  });
});

test("two runs over the same data are the same file, even after a failure and --resume", async () => {
  const list = await servePages(3);
  const [one, two, resumed] = [newFile(), newFile(), newFile()];
  const pull = async (file: string, ...more: readonly string[]) =>
    await dexdata([...pullOfPages, "--out", file, ...more], { env: list.env });
  expect((await pull(one)).exit).toBe(0);
  expect((await pull(two, "--resume")).exit).toBe(0);
  const heal = breakAt(list, 2);
  expect((await pull(resumed)).exit).toBe(7);
  expect(near(resumed)).toEqual(["rows.parquet.part", "rows.parquet.resume"]);
  heal();
  const before = list.server.requests.length;
  expect((await pull(resumed, "--resume")).exit).toBe(0);
  expect(list.server.requests.length).toBe(before + 1);
  for (const file of [two, resumed]) expect(readFileSync(file).equals(readFileSync(one))).toBe(true);
  expect(near(resumed)).toEqual(["rows.parquet"]);
});

test("a receipt proves that a file is complete, and damage disproves it", async () => {
  const list = await servePages(2);
  const [file, receipt] = [newFile(), newFile("receipt.json")];
  const pull = [...pullOfPages, "--out", file, "--receipt", receipt];
  expect((await dexdata(pull, { env: list.env })).exit).toBe(0);
  const before = list.server.requests.length;
  const again = await dexdata([...pull, "--resume"], { env: list.env });
  expect([again.exit, again.stderr]).toEqual([0, `${file} is already complete: 4 rows\n`]);
  const damaged = readFileSync(file);
  damaged.writeUInt8(damaged.readUInt8(100) ^ 1, 100);
  writeFileSync(file, damaged);
  expect((await dexdata([...pull, "--resume"], { env: list.env })).exit).toBe(2);
  expect(list.server.requests.length).toBe(before);
});

test("a file that reads back differently does not get its name", async () => {
  const encoder = parquetEncoder({
    columns: [{ name: "id", type: "text" }, otherColumn],
    refuse: () => new Error("not expected"),
    receipt: () => "{}",
  });
  const file = newFile();
  const rows = Buffer.from('{"id":"größer"}\n{"id":"2","more":1}\n');
  const pieces: Buffer[] = [];
  // Chunks end anywhere, even inside a character.
  const chunks = Readable.from([rows.subarray(0, 9), rows.subarray(9, 20), rows.subarray(20)]);
  await pipeline(chunks, encoder.encode(), async (packed: AsyncIterable<Buffer>) => {
    for await (const piece of packed) pieces.push(piece);
  });
  const written = Buffer.concat(pieces);
  expect(await linesOf(await open(written))).toEqual(['{"id":"größer"}', '{"id":"2","other":{"more":1}}']);
  const { signal } = new AbortController();
  writeFileSync(file, written);
  await encoder.check?.(file, signal);
  const [other, damaged] = [newFile(), Buffer.from(written)];
  damaged.writeUInt8(damaged.readUInt8(50) ^ 4, 50);
  for (const wrong of [damaged, written.subarray(0, -1), Buffer.alloc(0)]) {
    writeFileSync(other, wrong);
    await expect(encoder.check?.(other, signal)).rejects.toThrow(
      `${other}: the rows that were read back differ from those that were written`,
    );
  }
  rmSync(other);
  await expect(encoder.check?.(other, signal)).rejects.toThrow(`${other} was moved or deleted`);
});

describe("refused before anything is sent", () => {
  test.each([
    ["search weth -o parquet", "--output parquet: search returns several kinds of rows", "--type tokens"],
    [
      "search weth --out x.parquet",
      '--out "x.parquet": search returns several kinds of rows',
      "--type tokens",
    ],
    ["networks --out x.parquet.gz", "parquet files are already compressed", "--out x.parquet"],
    ["networks -o parquet --out rows.gz", "parquet files are already compressed", "--out rows"],
    [
      "networks -o parquet --no-header",
      "--no-header cannot be used with --output parquet",
      "remove --no-header",
    ],
    [
      "networks -o parquet --columns id",
      "--columns requires a table, csv or tsv, but the output is parquet",
      "use --fields",
    ],
    ["networks -o parquet --watch 5s", "parquet output cannot be used with --watch", "use -o ndjson"],
    [
      `txns ethereum ${pool} --follow -o parquet`,
      "parquet output cannot be used with --follow",
      "use -o ndjson",
    ],
    [`txns ethereum ${pool} --follow --out x.parquet`, "--follow writes ndjson", "use the extension .ndjson"],
    [
      "stream ethereum:0x0000000000000000000000000000000000000001 -o parquet",
      'invalid --output "parquet": must be ndjson',
      "",
    ],
    [
      "stream ethereum:0x0000000000000000000000000000000000000001 --out x.parquet",
      "a stream writes ndjson",
      "use the extension .ndjson",
    ],
    ["api /networks -o parquet", 'invalid --output "parquet": must be one of', ""],
    ["api /networks --out x.parquet", "api, which does not know the types of a path", "use the command"],
    ["doctor -o parquet", 'invalid --output "parquet": must be one of', ""],
    ["config set output parquet", "must be one of table, wide, ndjson, json, csv, tsv", ""],
  ])("%s", async (words, message, hint) => {
    sandbox.takeLog();
    const { exit, stdout, stderr } = await dexdata(words, {
      env: { ...sandbox.env(), DEXDATA_ERROR_FORMAT: "text" },
    });
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr.replaceAll("\\", "")).toContain(message);
    expect(stderr).toContain(hint);
    expect(sandbox.takeLog()).toEqual([]);
  });

  test("on a terminal, which would show bytes", async () => {
    const window = { isTerminal: { stdout: true, stderr: true }, env: sandbox.env() };
    const { exit, stdout, stderr } = await dexdata("networks -o parquet", window);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("error: --output parquet cannot be printed to a terminal");
    expect(stderr).toContain("hint: write it to a file: --out rows.parquet");
    expect((await dexdata(`networks --out ${newFile()}`, window)).exit).toBe(0);
  });
});

test("the six public fields of a transaction have columns", () => {
  const { record } = rowShape(poolTransactions);
  for (const field of [
    "factory_id",
    "chain",
    "volume_0",
    "volume_1",
    "created_at_block_hash",
    "canonical_chain",
  ])
    expect(record[field]?.optional).toBe(true);
});
