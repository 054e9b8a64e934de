import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  type PlannedFile,
  publishRows,
  frameOf,
  readFrames,
} from "../../../src/rows/out-files/encoded-file.ts";
import { encoderByName } from "../../../src/rows/out-file.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";
import type { WrittenFile } from "../../../src/rows/checkpoint-lines.ts";

const folder = temporaryFolder();
const gzip = encoderByName("x.gz");
let count = 0;

/** Three megabytes of rows in a new directory. */
function stage() {
  count += 1;
  const made = path.join(folder, String(count));
  mkdirSync(made);
  const rowsAt = path.join(made, "rows.part");
  const rows = Buffer.from(randomBytes(1_500_000).toString("hex"));
  writeFileSync(rowsAt, rows);
  return { made, rowsAt, rows, file: (name: string) => path.join(made, name) };
}

const options = (signal = new AbortController().signal, mayReplace = false) => ({
  encoder: gzip,
  mayReplace,
  random: Math.random,
  signal,
});

test("the file consists of the ranges in their order, and has the permissions of the staged rows", async () => {
  const { made, rowsAt, rows, file } = stage();
  chmodSync(rowsAt, 0o640);
  const ranges = [
    { start: 2_000_000, length: 1_000_000 },
    { start: 0, length: 7 },
    { start: 5, length: 0 },
  ];
  const written: WrittenFile[] = [];
  await publishRows(rowsAt, [{ file: file("a/b/x.gz"), ranges }], options(), (files) =>
    written.push(...files),
  );
  const expected = Buffer.concat([rows.subarray(2_000_000), rows.subarray(0, 7)]);
  expect(gunzipSync(readFileSync(file("a/b/x.gz"))).equals(expected)).toBe(true);
  expect(statSync(file("a/b/x.gz")).mode & 0o777).toBe(0o640);
  expect(written[0]?.bytes).toBe(1_000_007);
  expect(readdirSync(made).toSorted()).toEqual(["a", "rows.part"]);
});

test("an abort at any moment of the packing leaves only the staged rows", async () => {
  for (const delay of [0, 1, 5, 20, 40]) {
    const { made, rowsAt, rows, file } = stage();
    const planned: PlannedFile[] = ["x.gz", "y.gz"].map((name) => ({
      file: file(name),
      ranges: [{ start: 0, length: rows.length }],
    }));
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("Ctrl-C")), delay);
    const isNamed: boolean[] = [];
    await expect(
      publishRows(rowsAt, planned, options(abort.signal), () => isNamed.push(true)),
    ).rejects.toThrow();
    expect([isNamed, readdirSync(made)]).toEqual([[], ["rows.part"]]);
    expect(statSync(rowsAt).size).toBe(rows.length);
  }
});

test("staged rows that were truncated, and a directory that is a file, leave no file", async () => {
  const { made, rowsAt, rows, file } = stage();
  const whole = { start: 0, length: rows.length };
  const tooLong = [
    { file: file("x.gz"), ranges: [whole] },
    { file: file("y.gz"), ranges: [{ start: 1, length: rows.length }] },
  ];
  await expect(publishRows(rowsAt, tooLong, options(), () => undefined)).rejects.toThrow(/truncated/u);
  const below = [{ file: file("rows.part/x.gz"), ranges: [whole] }];
  await expect(publishRows(rowsAt, below, options(), () => undefined)).rejects.toThrow(/cannot be written/u);
  expect(readdirSync(made)).toEqual(["rows.part"]);
});

test("frames hold any text and any name, and only complete frames are read", async () => {
  const { rowsAt } = stage();
  const frames = [
    frameOf("a\nb", 1, Buffer.from('{"file":"c","rows":1,"bytes":3}\n')),
    frameOf("\u0000", 0, Buffer.alloc(0)),
    frameOf("a\nb", 2, Buffer.from([0xff, 0x0a, 0x00])),
  ];
  const bytes = Buffer.concat(frames);
  writeFileSync(rowsAt, Buffer.concat([bytes, Buffer.from("rest of a killed run")]));
  const files = await readFrames(rowsAt, bytes.length);
  expect(files.map(({ file, rows }) => [file, rows])).toEqual([
    ["\u0000", 0],
    ["a\nb", 3],
  ]);
  const texts = files[1]?.ranges.map(({ start, length }) =>
    bytes.subarray(start, start + length).toString("latin1"),
  );
  expect(texts).toEqual(['{"file":"c","rows":1,"bytes":3}\n', "\u00ff\n\u0000"]);
  await expect(readFrames(rowsAt, bytes.length + 1)).rejects.toThrow(/was modified by another program/u);
});
