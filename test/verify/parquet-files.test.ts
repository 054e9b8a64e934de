import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { rowShape } from "../../src/api/endpoint.ts";
import { poolTransactions } from "../../src/api/endpoints/pool-transactions.ts";
import { columnsOf } from "../../src/rows/parquet-format.ts";
import { dexdata } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { rowsOf } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { generateRow, kinds } from "../parquet/generated-rows.ts";
import { linesOf, open, writeFile } from "../parquet/memory-file.ts";
import { readParquet } from "../../src/rows/parquet-file.ts";
import { createNdjsonReader } from "../../src/rows/verify/read-rows.ts";
import { createRowChecker } from "../../src/rows/row-checker.ts";
import { verifyParquet } from "../../src/rows/verify-parquet.ts";
import { withMember } from "./planting.ts";

const folder = temporaryFolder();
const sandbox = useSandbox();
const columns = columnsOf(rowShape(poolTransactions));
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
let rows: readonly string[] = [];

beforeAll(async () => {
  const words = `txns ethereum ${pool} --from -1d --limit 100 -o ndjson -q`;
  const { stdout } = await dexdata(words, { env: sandbox.env() });
  rows = stdout.split("\n").slice(0, -1);
  expect(rows).toHaveLength(100);
});

/** With the footer that a pull would write. */
async function parquetOf(lines: readonly string[], changes: object = {}): Promise<Buffer> {
  const summary = await readParquet(await open((await writeFile(columns, lines)).file));
  const window = { from: "2026-11-20T00:00:00Z", to: "2026-11-21T08:54:00Z" };
  const receipt = { asked: { network: "ethereum", pool_address: pool }, window, ...summary, ...changes };
  return (await writeFile(columns, lines, JSON.stringify(receipt))).file;
}

async function verify(file: Buffer) {
  const name = path.join(folder, "rows.parquet");
  writeFileSync(name, file);
  const { exit, stdout, stderr } = await dexdata(["verify", name, "-o", "ndjson"]);
  expect(stderr).toBe("");
  const findings = rowsOf(stdout);
  expect(findings.every((finding) => finding["file"] === name)).toBe(true);
  return { exit, rules: findings.map(({ rule, line }) => [rule, line]) };
}

test("an intact file has no findings, and neither has a file without rows", async () => {
  expect(await verify(await parquetOf(rows))).toEqual({ exit: 0, rules: [] });
  expect(await verify(await parquetOf([]))).toEqual({ exit: 0, rules: [] });
});

test(`${isLong ? 1000 : 25} single flipped bits are found, each as F1 of its file`, async () => {
  const file = await parquetOf(rows);
  const random = createRandom(25);
  for (let round = 0; round < (isLong ? 1000 : 25); round += 1) {
    const bit = Math.floor(random() * file.length * 8);
    const damaged = Buffer.from(file);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const { exit, rules } = await verify(damaged);
    expect([bit, exit, rules.map(([rule]) => rule)]).toEqual([bit, 8, ["F1"]]);
  }
});

test.each([
  ["other rows", { rows: 99 }],
  ["another rows_sha256", { rows_sha256: "0".repeat(64) }],
  ["no rows_sha256", { rows_sha256: undefined }],
])("a footer with %s is F1", async (_, changes) => {
  expect(await verify(await parquetOf(rows, changes))).toEqual({ exit: 8, rules: [["F1", null]] });
});

test.each<readonly [string, (row: string) => readonly string[], number]>([
  ["R3", (row) => [row, row], 51],
  ["R4", (row) => [withMember(row, "created_at", '"2026-02-30T00:00:00Z"')], 50],
  ["R4", (row) => [withMember(row, "pool_id", '"0x1"')], 50],
  ["T3", (row) => [withMember(row, "amount_0", `"${"9".repeat(36)}"`)], 50],
  ["T3", (row) => [withMember(row, "amount_0", `"-${"9".repeat(60)}"`)], 50],
  ["T7", (row) => [withMember(row, "canonical_chain", "false")], 50],
])("%s is found in the row, whose number is the line", async (rule, change, line) => {
  const changed = [...rows.slice(0, 49), ...change(rows[49] ?? ""), ...rows.slice(50)];
  const { rules } = await verify(await parquetOf(changed));
  expect(rules).toEqual([[rule, line]]);
});

test("the receipt of a pull with another last row is F4", async () => {
  const [file, receipt] = ["pulled.parquet", "pulled.json"].map((name) => path.join(folder, name));
  const words = [
    "txns",
    "ethereum",
    pool,
    "--from",
    "-1h",
    "--all",
    "--out",
    file ?? "",
    "--receipt",
    receipt ?? "",
  ];
  expect((await dexdata(words, { env: sandbox.env() })).exit).toBe(0);
  const text = readFileSync(receipt ?? "", "utf8");
  writeFileSync(receipt ?? "", text.replace(/("last_row": \{\s+"id": )"\w+"/u, '$1"0x1"'));
  const { exit, stdout } = await dexdata(["verify", receipt ?? ""]);
  expect([exit, rowsOf(stdout).map(({ rule, field }) => [rule, field])]).toEqual([8, [["F4", "last_row"]]]);
});

test("a file of another program is F1", async () => {
  expect(await verify(Buffer.from("PAR1 not parquet at all PAR1"))).toEqual({ exit: 8, rules: [["F1", 1]] });
});

test.each(kinds)(
  "every rule finds the same in a Parquet file of a $name as in its rows",
  async ({ shape }) => {
    const random = createRandom(1234);
    const once = Array.from({ length: isLong ? 300 : 40 }, () => generateRow(random, shape));
    const sent = [...once, ...once.slice(0, 20)];
    const { file } = await writeFile(columnsOf(shape), sent);
    const lines = await linesOf(await open(file));

    const expected: unknown[] = [];
    const checker = createRowChecker(undefined, "parquet", (...finding) => expected.push(finding), undefined);
    const reader = createNdjsonReader(checker.take);
    reader.add(Buffer.from(lines.map((line) => `${line}\n`).join("")));
    checker.end();

    const found: unknown[] = [];
    const name = path.join(folder, "generated.parquet");
    writeFileSync(name, file);
    await verifyParquet(
      name,
      () => createRowChecker(undefined, "parquet", (...finding) => found.push(finding), undefined),
      () => undefined,
      new AbortController().signal,
      () => Promise.resolve(),
    );
    expect(found).toEqual(expected);
  },
);
