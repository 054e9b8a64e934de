import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fc } from "../../harness/properties.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  checkInputs,
  checkReplaceable,
  type FoundProgress,
  readCheckpoint,
} from "../../../src/rows/checkpoint.ts";
import { beginCheckpoint, continueCheckpoint } from "../../../src/rows/out-files/row-file.ts";
import { Failure } from "../../../src/base/failure.ts";
import { dexdata } from "../../harness/dexdata.ts";
import { isLong } from "../../harness/long.ts";
import { empty, json, type ScriptedServer, startScriptedServer } from "../../harness/scripted-server.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";
import type { CheckpointHeader, CheckpointLine } from "../../../src/rows/checkpoint-lines.ts";

const folder = temporaryFolder();
let count = 0;
function newFile(): string {
  count += 1;
  mkdirSync(path.join(folder, String(count)));
  return path.join(folder, String(count), "rows.ndjson");
}

const header: CheckpointHeader = {
  checkpoint: 4,
  rows: "file",
  mayReplace: false,
  query: { command: "txns", größe: "2" },
  now: 1_795_251_240_000,
  tier: "keyless",
  started: 1_795_251_240_500,
};

/** The progress after this many pages of 10 bytes each. */
const after = (pages: number): CheckpointLine => ({
  bytes: 10 * pages,
  sha256: "00".repeat(32),
  rows: pages,
  repeats: 0,
  missing: 0,
  refused: 0,
  unfinished: 0,
  requests: pages,
  credits: pages,
  inDoubt: 0,
  question: 0,
  at: { flag: "cursor", value: `größe-${pages}` },
  rowsOfQuestion: pages,
  // The second page has no new rows.
  ...(pages === 2 ? {} : { seen: `seen${pages}` }),
});

const begin = (file: string): ReturnType<typeof beginCheckpoint> => beginCheckpoint(file, header, () => 0);

/** The progress of the pull if its file has this many bytes. */
function readInterrupted(
  file: string,
  size: number,
): (FoundProgress & { header: CheckpointHeader }) | undefined {
  const found = readCheckpoint(file);
  return found === undefined ? undefined : { header: found.header, ...found.upTo(size) };
}

/**
 * A checkpoint of three pages, the bytes of its header and each of its lines, and the expected progress after
 * this many.
 */
function threePages(): { file: string; bytes: Buffer; ends: readonly number[] } {
  const file = newFile();
  const checkpoint = begin(file);
  for (const pages of [1, 2, 3]) checkpoint.append(after(pages));
  checkpoint.close();
  const bytes = readFileSync(`${file}.resume`);
  const ends = [...bytes.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []));
  return { file, bytes, ends };
}

function expectedProgress(
  pages: number,
  length: number,
  isCut = false,
): FoundProgress & { header: CheckpointHeader } {
  const seen = ["seen1", "seen3"].slice(0, pages === 3 ? 2 : Math.min(pages, 1));
  const progress = pages === 0 ? undefined : after(pages);
  return { header, progress, complete: undefined, files: undefined, isCut, seen, length };
}

describe("the journal of a pull", () => {
  test("cut at any byte, returns the progress of the last complete line, and new lines follow that line", () => {
    const { file, bytes, ends } = threePages();
    expect(ends.length).toBe(4);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      writeFileSync(`${file}.resume`, bytes.subarray(0, cut));
      const lines = ends.filter((end) => end <= cut).length;
      const interrupted = readInterrupted(file, 30);
      expect(interrupted).toEqual(
        lines === 0 ? undefined : expectedProgress(lines - 1, ends[lines - 1] ?? 0),
      );
      if (interrupted === undefined) continue;
      const checkpoint = continueCheckpoint(file, interrupted.length);
      for (let pages = lines; pages <= 3; pages += 1) checkpoint.append(after(pages));
      checkpoint.close();
      expect(readFileSync(`${file}.resume`).equals(bytes)).toBe(true);
    }
  });

  test("returns every field of the progress as saved", () => {
    const counts = Object.fromEntries(
      Object.entries(after(1)).flatMap(([name, value]) =>
        typeof value === "number" && name !== "bytes" ? [[name, fc.nat()]] : [],
      ),
    );
    const text = fc.string({ unit: "grapheme" });
    const places = fc.record(
      {
        flag: fc.constantFrom("cursor" as const, "page" as const, "from" as const, "subject" as const),
        value: text,
        to: text,
        before: text,
        items: fc.nat(),
      },
      { requiredKeys: ["flag", "value"] },
    );
    const hashes = { sha256: text };
    const optional = {
      at: places,
      creditsBefore: text,
      seen: text,
      first: text,
      last: text,
      to: text,
      ...hashes,
    };
    const noted = fc.record({ ...counts, ...optional }, { requiredKeys: [] });
    const file = newFile();
    fc.assert(
      fc.property(noted, (parts) => {
        const progress = { ...after(1), ...parts };
        const checkpoint = begin(file);
        checkpoint.append(progress);
        checkpoint.close();
        expect(readInterrupted(file, progress.bytes)?.progress).toEqual(progress);
        expect(readInterrupted(file, progress.bytes - 1)?.progress).toBeUndefined();
      }),
    );
  });

  test("returns no more progress than the file contains", () => {
    const { file, ends } = threePages();
    for (let size = 0; size <= 35; size += 1) {
      const pages = Math.min(3, Math.floor(size / 10));
      expect(readInterrupted(file, size)).toEqual(expectedProgress(pages, ends[pages] ?? 0, size < 30));
    }
  });

  test("returns the length of the complete file; that line is replaced when the pull continues", () => {
    const { file, bytes, ends } = threePages();
    const checkpoint = continueCheckpoint(file, bytes.length);
    checkpoint.end(32);
    checkpoint.close();
    expect(readInterrupted(file, 32)).toEqual({ ...expectedProgress(3, bytes.length), complete: 32 });
    expect(readInterrupted(file, 20)).toEqual(expectedProgress(2, ends[2] ?? 0, true));
    continueCheckpoint(file, bytes.length).close();
    expect(readFileSync(`${file}.resume`).equals(bytes)).toBe(true);
  });

  test("with an invalid line returns the progress of the line before", () => {
    const { file, bytes, ends } = threePages();
    const second = ends[1] ?? 0;
    for (const line of ["{}", "half", "", '{"bytes":-1}', "null"]) {
      const damaged = [bytes.subarray(0, second), Buffer.from(`${line}\n`), bytes.subarray(second)];
      writeFileSync(`${file}.resume`, Buffer.concat(damaged));
      expect(readInterrupted(file, 30)).toEqual(expectedProgress(1, second));
    }
  });

  test.each(['{"checkpoint":2}\n', '{"checkpoint":9}\n'])("that starts with %j is rejected", (text) => {
    const file = newFile();
    writeFileSync(`${file}.resume`, text);
    expect(failureOf(() => readCheckpoint(file))).toEqual(foreign(file));
  });

  test.each(['{"checkpoint":2}\n', '{"checkpoint":3', '{"check', ""])(
    "that starts with %j belongs to dexdata: starting over may replace it",
    (text) => {
      const file = newFile();
      writeFileSync(`${file}.resume`, text);
      expect(() => checkReplaceable(file)).not.toThrow();
    },
  );

  test.each(["[]\n", "1\n", "rows of another program", '{"checked":true}\n'])(
    "that starts with %j belongs to another program: no run touches it",
    (text) => {
      const file = newFile();
      writeFileSync(`${file}.resume`, text);
      for (const use of [checkReplaceable, readCheckpoint])
        expect(failureOf(() => use(file))).toEqual(notOurs(`${file}.resume`));
    },
  );

  test("allows replacing a .part file only if it states that the file belongs to dexdata", () => {
    const file = newFile();
    writeFileSync(`${file}.part`, "downloaded by another program, or rows whose checkpoint is gone");
    expect(failureOf(() => checkReplaceable(file))).toEqual({
      ...notOurs(""),
      message: `${file}.part exists without its checkpoint ${file}.resume`,
      next: "move or delete it",
    });
    begin(file).close();
    expect(failureOf(() => checkReplaceable(file))).toEqual(notOurs(`${file}.part`));
    beginCheckpoint(file, { ...header, rows: "part" }, () => 0).close();
    expect(() => checkReplaceable(file)).not.toThrow();
    writeFileSync(`${file}.resume`, '{"checkpoint":9,"rows":"part"}\n');
    expect(() => checkReplaceable(file)).not.toThrow();
  });

  test("is empty if it does not exist, and an error if it cannot be written", () => {
    const file = newFile();
    expect(readCheckpoint(file)).toBeUndefined();
    mkdirSync(`${file}.resume`);
    expect(failureOf(() => begin(file))).toEqual({
      message: `${file}.resume cannot be written (is a directory)`,
      exit: 1,
      code: "output",
      retryable: false,
      next: "check the permissions of the file and its directory",
    });
  });

  test("of more inputs than exist is rejected", () => {
    const { file } = threePages();
    expect(() => checkInputs(file, after(1), 0)).not.toThrow();
    expect(() => checkInputs(file, undefined, 0)).not.toThrow();
    const beyond = { ...after(1), question: 3 };
    expect(() => checkInputs(file, beyond, 3)).not.toThrow();
    expect(failureOf(() => checkInputs(file, beyond, 2))).toEqual(foreign(file));
  });

  test("is readable by its owner only, and removed once the output is complete", () => {
    const file = newFile();
    const checkpoint = begin(file);
    expect(statSync(`${file}.resume`).mode & 0o777).toBe(0o600);
    checkpoint.remove();
    expect(readInterrupted(file, 0)).toBeUndefined();
    // Another process may have removed it.
    checkpoint.remove();
  });
});

/** All except the system's own error. */
function failureOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const { cause: _, ...details } = thrown.details;
    return { message: thrown.message, ...details };
  }
}

function foreign(file: string): object {
  return {
    message: `${file}.resume is not a checkpoint of this version of dexdata`,
    exit: 2,
    code: "checkpoint",
    retryable: false,
    next: "start over with --force, or name another file",
  };
}

function notOurs(file: string): object {
  return {
    message: `${file} already exists, and dexdata did not create it`,
    exit: 2,
    code: "usage",
    retryable: false,
    next: "move it out of the way, or name another file",
  };
}

describe("an interrupted pull", () => {
  const words = ["pools", "search", "ethereum", "--all", "--page-size", "2", "-o", "ndjson"];
  let server: ScriptedServer;
  let isHealed = true;
  let whole: Buffer;
  let interrupted: { readonly rows: Buffer; readonly checkpoint: Buffer };

  const pull = async (file: string): ReturnType<typeof dexdata> =>
    await dexdata([...words, "--out", file, "--resume"], { env: { DEXDATA_BASE_URL: server.url } });

  beforeAll(async () => {
    server = await startScriptedServer(({ query }) => {
      const page = Number(query.get("cursor") ?? "0");
      if (page === 4 && !isHealed) return empty(501);
      const results = [0, 1].map((row) => ({ chain: "ethereum", id: `0x${page}${row}`, name: "größer" }));
      return json({ results, has_next_page: page < 5, next_cursor: page < 5 ? String(page + 1) : "" });
    });
    const [uninterrupted, broken] = [newFile(), newFile()];
    await pull(uninterrupted);
    whole = readFileSync(uninterrupted);
    isHealed = false;
    await pull(broken);
    isHealed = true;
    interrupted = { rows: readFileSync(broken), checkpoint: readFileSync(`${broken}.resume`) };
  });
  afterAll(async () => await server.close());

  test("produces the same file, wherever its file and journal are cut and whatever follows the cut", async () => {
    const { rows, checkpoint } = interrupted;
    const begun = checkpoint.indexOf(0x0a) + 1;
    expect(rows.equals(whole.subarray(0, rows.length)) && rows.length < whole.length).toBe(true);
    const cuts = fc.tuple(
      fc.integer({ min: begun, max: checkpoint.length }),
      fc.integer({ min: 0, max: rows.length }),
      fc.constantFrom("", '{"chain":"ether', "\0\0\0\0"),
    );
    const property = fc.asyncProperty(cuts, async ([journalCut, rowCut, torn]) => {
      const file = newFile();
      writeFileSync(`${file}.resume`, checkpoint.subarray(0, journalCut));
      // The partial bytes are in the place of rows that were written but not yet recorded.
      const isAtPage = readInterrupted(file, rowCut)?.progress?.bytes === rowCut || rowCut === rows.length;
      const left = Buffer.concat([rows.subarray(0, rowCut), Buffer.from(isAtPage ? torn : "")]);
      writeFileSync(file, left);
      // A file shorter than its first page could be an unrelated file, which must not be changed.
      const found = readInterrupted(file, rowCut);
      if (found?.isCut === true && found.progress === undefined && rowCut > 0) {
        const { exit, stderr } = await pull(file);
        expect([exit, stderr]).toEqual([
          2,
          expect.stringContaining("it was modified after the interruption"),
        ]);
        expect(readFileSync(file).equals(left)).toBe(true);
        return;
      }
      expect(await pull(file)).toMatchObject({ exit: 0, stdout: "" });
      expect(readFileSync(file).equals(whole)).toBe(true);
      expect(() => readFileSync(`${file}.resume`)).toThrow("ENOENT");
    });
    await fc.assert(property, { numRuns: isLong ? 2000 : 20 });
  });

  test("with an incomplete journal header is rejected, and its rows stay", async () => {
    const file = newFile();
    writeFileSync(file, interrupted.rows);
    writeFileSync(`${file}.resume`, interrupted.checkpoint.subarray(0, 20));
    expect((await pull(file)).exit).toBe(2);
    expect(readFileSync(file).equals(interrupted.rows)).toBe(true);
    rmSync(file);
    expect((await pull(file)).exit).toBe(0);
    expect(readFileSync(file).equals(whole)).toBe(true);
  });
});
