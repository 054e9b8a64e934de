import { expect, test } from "vitest";
import { compileRowCheck } from "../../src/api/row-check.ts";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { rawMembers } from "../../src/base/json/json-scan.ts";
import { PlainRows } from "../../src/rows/verify/plain-rows.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { toRow } from "../harness/rows.ts";

const shapes = endpoints.flatMap(({ rows }) => Object.values(rows));
const shape = shapes.find(({ name }) => name === "transaction")?.record ?? {};
const isTyped = compileRowCheck(shape);

const sample = {
  id: `0x${"12ab".repeat(16)}`,
  log_index: 661,
  pool_id: "0x88e6",
  recipient: 3053415007862344,
  token_0: "0xa0",
  token_0_symbol: "USD₮0",
  token_1: "0xc0",
  amount_0: "4608914398",
  amount_1: "-1331908555545387085",
  price_0: 0.00028898530988628423,
  price_1: null,
  created_at_block_number: 26463681,
  created_at: "2026-11-21T08:53:48Z",
  canonical_chain: true,
};
const line = JSON.stringify(sample);

/** Parts that a damaged or unusual row may contain anywhere. */
const pieces = [
  '"',
  "\\",
  "\\u0041",
  "e5",
  ".5",
  "-",
  "0",
  "null",
  "{}",
  "[1]",
  ",",
  ":",
  " ",
  "\r",
  "\u0001",
  "é",
  "}",
];

function readerOf(...learned: readonly string[]): PlainRows {
  const rows = new PlainRows();
  for (const row of learned) rows.learn(Buffer.from(row), shape);
  return rows;
}

test("a row that is not parsed is a valid row with the same texts as a parsed one", () => {
  const random = createRandom(42);
  const below = (limit: number): number => Math.floor(random() * limit);
  const rows = readerOf(line);
  let [plain, parsed] = [0, 0];
  for (let round = 0; round < (isLong ? 40_000 : 10_000); round += 1) {
    const at = below(line.length);
    const piece = pieces[below(pieces.length)] ?? "";
    const text = line.slice(0, at) + piece + line.slice(at + below(4));
    let bytes = Buffer.from(`${text}\n`);
    // Sometimes a byte of a character is missing.
    if (round % 5 === 0) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    rows.open(bytes);
    if (rows.moveTo(0, 1) < 0) {
      parsed += 1;
      continue;
    }
    plain += 1;
    const row = new TextDecoder("utf8", { fatal: true }).decode(bytes.subarray(0, -1));
    const values = toRow(row);
    expect(isTyped(values), row).toBeUndefined();
    const wrong = [...rawMembers(row)].find(([name, raw]) => {
      const value = values[name];
      return rows.text(name) !== (typeof value === "string" ? value : raw);
    });
    expect(wrong, row).toBeUndefined();
  }
  // Otherwise, the test would show nothing.
  expect(plain).toBeGreaterThan(1250);
  expect(parsed).toBeGreaterThan(1250);
});

test("rows with other values of the same types need no parsing, also if some members are missing", () => {
  const { price_0: _, ...short } = sample;
  const rows = readerOf(line, JSON.stringify(short));
  const others = [{ ...sample, price_0: 7, price_1: 1e-9 }, { ...short, recipient: "0x1" }, sample];
  const bytes = Buffer.from(others.map((row) => `${JSON.stringify(row)}\n`).join(""));
  rows.open(bytes);
  let start = 0;
  for (const [index, { token_0_symbol: symbol, recipient }] of others.entries()) {
    const end = rows.moveTo(start, index + 1);
    expect([end, rows.line]).toEqual([bytes.indexOf(10, start), index + 1]);
    expect([rows.text("token_0_symbol"), rows.text("recipient")]).toEqual([symbol, String(recipient)]);
    expect(rows.text("unknown")).toBeUndefined();
    start = end + 1;
  }
});

test.each([
  ["nested values", { ...sample, more: { a: 1 } }],
  ["lists", { ...sample, more: [] }],
])("rows with %s are parsed", (_, row) => {
  const rows = readerOf(JSON.stringify(row));
  rows.open(Buffer.from(`${JSON.stringify(row)}\n`));
  expect(rows.moveTo(0, 1)).toBe(-1);
});

test("a repeated name is parsed", () => {
  const twice = '{"id":"a","id":"b"}';
  const rows = readerOf(twice);
  rows.open(Buffer.from(`${twice}\n`));
  expect(rows.moveTo(0, 1)).toBe(-1);
});
