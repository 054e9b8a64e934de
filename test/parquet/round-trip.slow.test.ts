import { createHash } from "node:crypto";
import { parquetMetadata } from "hyparquet/src/metadata.js";
import { describe, expect, test } from "vitest";
import { columnsOf, otherColumn, UnreadableParquet } from "../../src/rows/parquet-format.ts";
import { groupsOf, readParquet, rowRanges } from "../../src/rows/parquet-file.ts";
import { rawMembers } from "../../src/base/json/json-scan.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { generateRow, kinds } from "./generated-rows.ts";
import { linesOf, open, writeFile } from "./memory-file.ts";
import { differences } from "./same-row.ts";

const rowsOfKind = isLong ? 10_000 : 500;

test.each(kinds)(
  "generated rows of a $name come back by value, and each spill is counted",
  async ({ name, shape }) => {
    const random = createRandom(name.length * 7919 + rowsOfKind);
    const rows = Array.from({ length: rowsOfKind }, () => generateRow(random, shape));
    const { file, written } = await writeFile(columnsOf(shape), rows);
    const parquet = await open(file);
    const lines = await linesOf(parquet);
    const record = { ...shape.record, ...shape.added?.record };
    const wrong = rows.flatMap((row, index) => differences(row, lines[index] ?? "{}", record));
    expect(wrong).toEqual([]);
    expect(lines).toHaveLength(rows.length);

    const spilled: Record<string, number> = {};
    for (const line of lines)
      for (const spill of rawMembers(rawMembers(line).get("other") ?? "{}").keys())
        // Members known since the columns were frozen have no column that they could spill from.
        if (Object.hasOwn(record, spill) && record[spill]?.isLater !== true)
          spilled[spill] = (spilled[spill] ?? 0) + 1;
    expect(written.spilled).toEqual(spilled);
    expect(Object.keys(spilled).length).toBeGreaterThan(0);

    const sha256 = createHash("sha256")
      .update(lines.map((line) => `${line}\n`).join(""))
      .digest("hex");
    expect(await readParquet(parquet)).toEqual({
      rows: rows.length,
      rows_sha256: sha256,
      first: lines[0],
      last: lines.at(-1),
    });
    expect(written).toMatchObject({
      rows: rows.length,
      rows_sha256: sha256,
      first: lines[0],
      last: lines.at(-1),
    });
  },
);

test("signals and timers get their turn before each row group, although reads do not wait", async () => {
  const rows = Array.from({ length: 45_000 }, (_, n) => `{"n":${n}}`);
  const parquet = await open((await writeFile([{ name: "n", type: "integer" }], rows)).file);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const ends = new Map<number, number>();
  for await (const { end } of parquet.groups()) ends.set(turns, end);
  clearImmediate(next);
  expect([...ends.values()]).toEqual(parquet.ends);
});

test("any range of rows can be read, within one row group and across several", async () => {
  const columns = [{ name: "n", type: "integer" }] as const;
  const rows = Array.from({ length: 45_000 }, (_, n) => `{"n":${n}}`);
  const parquet = await open((await writeFile(columns, rows, "{}", 5000)).file);
  expect(parquet.starts).toEqual([0, 20_000, 40_000, 45_000]);
  const ranges = [
    [0, 0],
    [5, 9],
    [19_990, 20_003],
    [20_000, 40_000],
    [25_000, 25_001],
    [39_999, 45_000],
    [44_000, 45_000],
  ];
  for (const [begin = 0, end = 0] of ranges) {
    const lines: string[] = [];
    for await (const group of parquet.groups(undefined, { begin, end }))
      lines.push(...group.lines.toString().split("\n").slice(0, -1));
    expect(lines).toEqual(rows.slice(begin, end));
    const summary = await readParquet(parquet, undefined, { begin, end });
    expect([summary.rows, summary.last]).toEqual([
      end - begin,
      rows[end - 1] === undefined || begin === end ? null : rows[end - 1],
    ]);
  }
  const parts = (counts: readonly number[]) => counts.map((count) => ({ rows: count }));
  expect(rowRanges(parquet, parts([0, 20_001, 24_999]))).toEqual([
    { begin: 0, end: 0 },
    { begin: 0, end: 20_001 },
    { begin: 20_001, end: 45_000 },
  ]);
  expect(() => rowRanges(parquet, parts([20_000, 24_999]))).toThrow(UnreadableParquet);
  expect(groupsOf(parquet, { begin: 20_000, end: 40_000 })).toEqual({ first: 1, last: 2, isWhole: true });
  expect(groupsOf(parquet, { begin: 20_000, end: 40_001 })).toEqual({ first: 1, last: 3, isWhole: false });
  expect(groupsOf(parquet, { begin: 1, end: 20_000 })).toEqual({ first: 0, last: 1, isWhole: false });
});

describe("canonical rows", () => {
  const columns = [
    { name: "text", type: "text" },
    { name: "address", type: "text", isNumberOrText: true },
    { name: "time", type: "time" },
    { name: "double", type: "double" },
    { name: "raw", type: "decimal", isNumberOrText: true },
    { name: "supply", type: "decimal" },
    { name: "integer", type: "integer" },
    { name: "flag", type: "boolean" },
    { name: "json", type: "json" },
    otherColumn,
  ] as const;
  test.each([
    ['{"text":"a\\u0062\\/","double":1.10}', '{"text":"ab/","double":1.1}'],
    ['{"text":null,"unknown":null}', '{"other":{"unknown":null}}'],
    ["{}", "{}"],
    ['{"text":5}', '{"other":{"text":5}}'],
    ['{"text":"\\ud83e\\udd84 \\ud800"}', '{"text":"🦄 \ufffd","other":{"text":"\\ud83e\\udd84 \\ud800"}}'],
    ['{"text":"\ufeff\\u0000"}', '{"text":"\ufeff\\u0000"}'],
    ['{"address":12}', '{"address":"12"}'],
    ['{"address":"0xAb"}', '{"address":"0xAb"}'],
    ['{"address":true}', '{"other":{"address":true}}'],
    ['{"time":"2026-11-20T10:54:08.500+02:00"}', '{"time":"2026-11-20T08:54:08.500000Z"}'],
    ['{"time":"1969-12-31T23:59:59.999999000Z"}', '{"time":"1969-12-31T23:59:59.999999Z"}'],
    [
      '{"time":"2026-11-20T08:54:08.123456789Z"}',
      '{"time":"2026-11-20T08:54:08.123456Z","other":{"time":"2026-11-20T08:54:08.123456789Z"}}',
    ],
    [
      '{"time":"2016-12-31T23:59:60Z"}',
      '{"time":"2017-01-01T00:00:00Z","other":{"time":"2016-12-31T23:59:60Z"}}',
    ],
    ['{"time":"0000-01-01T00:00:00+00:01"}', '{"other":{"time":"0000-01-01T00:00:00+00:01"}}'],
    ['{"time":"soon"}', '{"other":{"time":"soon"}}'],
    ['{"time":1700000000}', '{"other":{"time":1700000000}}'],
    ['{"double":-0.0}', '{"double":0}'],
    ['{"double":1e21}', '{"double":1e+21}'],
    ['{"double":0.1000000000000000055}', '{"double":0.1,"other":{"double":0.1000000000000000055}}'],
    ['{"double":9007199254740993}', '{"double":9007199254740992,"other":{"double":9007199254740993}}'],
    ['{"double":1e400}', '{"other":{"double":1e400}}'],
    ['{"double":1e-400}', '{"double":0,"other":{"double":1e-400}}'],
    ['{"double":"1"}', '{"other":{"double":"1"}}'],
    [`{"raw":-${"9".repeat(38)}}`, `{"raw":"-${"9".repeat(38)}"}`],
    [`{"raw":1${"0".repeat(38)}}`, `{"other":{"raw":1${"0".repeat(38)}}}`],
    ['{"raw":"-1.50e2"}', '{"raw":"-150"}'],
    ['{"raw":1.5}', '{"other":{"raw":1.5}}'],
    ['{"raw":"007"}', '{"other":{"raw":"007"}}'],
    ['{"raw":" 7"}', '{"other":{"raw":" 7"}}'],
    ['{"raw":-0}', '{"raw":"0"}'],
    ['{"supply":1e27}', '{"supply":"1000000000000000000000000000"}'],
    ['{"supply":"5"}', '{"other":{"supply":"5"}}'],
    ['{"integer":-9223372036854775808}', '{"integer":-9223372036854775808}'],
    ['{"integer":9223372036854775808}', '{"other":{"integer":9223372036854775808}}'],
    ['{"integer":12.0e1}', '{"integer":120}'],
    ['{"flag":true}', '{"flag":true}'],
    ['{"flag":0}', '{"other":{"flag":0}}'],
    ['{"json": [ 1.10, "\\u0041\u202e" ] }', '{"json":[1.10,"\\u0041\\u202e"]}'],
    ['{"json":"text","x":{ "a" : 1 }}', '{"json":"text","other":{"x":{"a":1}}}'],
    ['{"integer":"x","text":1,"x":2,"x":3}', '{"other":{"text":1,"integer":"x","x":3}}'],
    ['{"text":"a","text":"b"}', '{"text":"b"}'],
  ])("%s", async (row, line) => {
    const { file } = await writeFile(columns, [row]);
    expect(await linesOf(await open(file))).toEqual([line]);
  });

  test("without the column other, a value that does not fit is an error", async () => {
    const some = columns.slice(3, 4);
    const { file } = await writeFile(some, ['{"double":1.5,"unknown":1}']);
    expect(await linesOf(await open(file))).toEqual(['{"double":1.5}']);
    await expect(writeFile(some, ['{"double":1e400}'])).rejects.toThrow("double: 1e400 does not fit");
  });
});

test("rows are the same file however they arrive, and row groups end at 20,000 rows", async () => {
  const columns = [{ name: "n", type: "integer" }, { name: "text", type: "text" }, otherColumn] as const;
  const rows = Array.from({ length: 45_000 }, (_, n) => `{"n":${n},"text":"row ${n % 7}"}`);
  const [one, two] = [await writeFile(columns, rows), await writeFile(columns, rows, "{}", 12_345)];
  expect(one.file.equals(two.file)).toBe(true);
  const sizes: number[] = [];
  for await (const group of (await open(one.file)).groups()) sizes.push(group.rows);
  expect(sizes).toEqual([20_000, 20_000, 5_000]);
});

test("each row group has the bounds of its values, which queries use to skip it", async () => {
  const columns = [
    { name: "text", type: "text" },
    { name: "amount", type: "decimal" },
    { name: "time", type: "time" },
  ] as const;
  const rowOf = (n: number): string => {
    const amount = `${n % 2 === 0 ? "-" : ""}${n + 1}${"0".repeat(20)}`;
    return `{"text":"${String(n).padStart(5, "0")}","amount":${amount},"time":"1970-01-01T0${n % 10}:00:00Z"}`;
  };
  const { file } = await writeFile(
    columns,
    Array.from({ length: 30_000 }, (_, n) => rowOf(n)),
  );
  const bytes = Uint8Array.from(file.subarray(-8 - file.readUInt32LE(file.length - 8)));
  const { row_groups: groups } = parquetMetadata(bytes.buffer);
  const hours = { min_value: new Date(0), max_value: new Date(9 * 3_600_000) };
  const decimals = (min: number, max: number) => ({ min_value: min * 1e20, max_value: max * 1e20 });
  expect(groups.map((group) => group.columns.map(({ meta_data: meta }) => meta?.statistics))).toMatchObject([
    [{ min_value: "00000", max_value: "19999" }, decimals(-19_999, 20_000), hours],
    [{ min_value: "20000", max_value: "29999" }, decimals(-29_999, 30_000), hours],
  ]);
});

test("a row group ends at 16 MiB of rows", async () => {
  const columns = [{ name: "text", type: "text" }, otherColumn] as const;
  const row = JSON.stringify({ text: "x".repeat(1024 * 1024) });
  const { file } = await writeFile(
    columns,
    Array.from({ length: 20 }, () => row),
    "{}",
    3,
  );
  const sizes: number[] = [];
  for await (const group of (await open(file)).groups()) sizes.push(group.rows);
  expect(sizes).toEqual([16, 4]);
});

test("a file without rows, and the receipt in the footer", async () => {
  const { file, written } = await writeFile([otherColumn], [], '{"query":"🦄"}');
  const parquet = await open(file);
  expect(parquet).toMatchObject({ rows: 0, receipt: '{"query":"🦄"}', columns: [otherColumn] });
  expect(await readParquet(parquet)).toEqual({
    rows: 0,
    rows_sha256: createHash("sha256").digest("hex"),
    first: null,
    last: null,
  });
  expect(written.spilled).toEqual({});
});
