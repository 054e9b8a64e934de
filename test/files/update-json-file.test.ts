import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { removeUnused, updateJsonFile, updateStateFile } from "../../src/base/files/json-file.ts";
import { bundle } from "../harness/bundle.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";

let folder: string;
let counter: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), "dexdata-state-"));
  counter = path.join(folder, "counter.cjs");
  await bundle(fileURLToPath(new URL("counter.ts", import.meta.url)), counter);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const content = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

const numberIn = (before: unknown): number =>
  typeof before === "object" && before !== null && "counted" in before ? Number(before.counted) : 0;

/** Adds one; returns the new count. */
const countUp = async (context: TestContext, file: string): Promise<number> =>
  await updateStateFile(context, file, (before) => {
    const counted = numberIn(before);
    return { after: { counted: counted + 1 }, result: counted };
  });

describe("concurrent changes", () => {
  test("in one process are all saved, and each sees the one before", async () => {
    const context = createTestContext();
    const file = path.join(context.home, "deep", "er", "count.json");
    const seen = await Promise.all(Array.from({ length: 10 }, () => countUp(context, file)));
    expect(seen.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 10 }, (_, index) => index),
    );
    expect(content(file)).toEqual({ counted: 10 });
  });

  test("in ten processes are all saved, and a reader always finds a complete file", async () => {
    const file = path.join(folder, "many.json");
    writeFileSync(file, '{"counted":0}');
    const children = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const child = fork(counter, [file, "50"], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
        await once(child, "message");
        return child;
      }),
    );
    const ends = children.map(
      async (child: ChildProcess): Promise<unknown> => (await once(child, "close"))[0],
    );
    for (const child of children) child.send("go");
    const over = new AbortController();
    const looking = (async (): Promise<number> => {
      let looks = 0;
      for (; !over.signal.aborted; looks += 1) {
        expect(numberIn(content(file))).toBeGreaterThanOrEqual(0);
        await new Promise(setImmediate);
      }
      return looks;
    })();
    expect(await Promise.all(ends)).toEqual(Array.from({ length: 10 }, () => 0));
    over.abort();
    expect(await looking).toBeGreaterThan(10);
    expect(content(file)).toEqual({ counted: 500 });
    expect(readdirSync(folder).filter((name) => name.startsWith("many"))).toEqual(["many.json"]);
  }, 60_000);
});

describe("existing files", () => {
  test.each([
    ["no file", undefined],
    ["no JSON", '{"counted": 3'],
    ["an empty file", ""],
    ["a list", "[1, 2]"],
    ["bytes that are not text", "\u0000\ufffd"],
  ])("%s counts as empty, and is replaced", async (_what, before) => {
    const context = createTestContext();
    const file = path.join(context.home, "count.json");
    if (before !== undefined) writeFileSync(file, before);
    expect(await countUp(context, file)).toBe(0);
    expect(await countUp(context, file)).toBe(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("after a lock is lost to another process, the change is applied again to that process's result", async () => {
    const context = createTestContext();
    const file = path.join(context.home, "count.json");
    let calls = 0;
    const result = await updateStateFile(context, file, (before) => {
      calls += 1;
      if (calls === 1) {
        // Another process considered this one dead, counted, and released the lock.
        rmSync(`${file}.lock`);
        writeFileSync(file, '{"counted":7}');
      }
      return { after: { counted: numberIn(before) + 1 }, result: calls };
    });
    expect([result, content(file)]).toEqual([2, { counted: 8 }]);
  });
});

describe("failures", () => {
  test.each([
    ["the directory cannot be created", "count.json/inside/count.json"],
    ["the file is a directory", "taken"],
  ])("%s: the update throws and leaves no lock", async (_why, name) => {
    const context = createTestContext();
    writeFileSync(path.join(context.home, "count.json"), "{}");
    mkdirSync(path.join(context.home, "taken"));
    await expect(countUp(context, path.join(context.home, name))).rejects.toThrow(/E[A-Z]+/u);
    expect(readdirSync(context.home).toSorted()).toEqual(["count.json", "taken"]);
  });

  test("after a lock is lost while the new content was staged, the change is applied again", async () => {
    const context = createTestContext();
    const file = path.join(context.home, "count.json");
    let attempts = 0;
    const stage = (after: object) => {
      attempts += 1;
      const staged = `${file}.${attempts}.new`;
      writeFileSync(staged, JSON.stringify(after));
      if (attempts === 1) {
        // Acts like a process that takes a lock held for too long.
        rmSync(`${file}.lock`);
        rmSync(staged);
        throw new Error("ENOENT: the staged file is gone");
      }
      return { staged, target: file };
    };
    const result = await updateJsonFile(
      context,
      file,
      () => ({ after: { counted: 1 }, result: "done" }),
      stage,
    );
    expect([result, attempts, content(file)]).toEqual(["done", 2, { counted: 1 }]);
    expect(readdirSync(context.home)).toEqual(["count.json"]);
  });

  test("an update function that throws changes nothing and leaves no lock", async () => {
    const context = createTestContext();
    const file = path.join(context.home, "count.json");
    await countUp(context, file);
    const change = (): never => {
      throw new Error("no");
    };
    await expect(updateStateFile(context, file, change)).rejects.toThrow("no");
    expect(content(file)).toEqual({ counted: 1 });
    expect(readdirSync(context.home)).toEqual(["count.json"]);
  });
});

test("cleanup removes files of the given names that have not changed for a day", () => {
  const context = createTestContext();
  const now = Date.parse("2026-11-21T08:54:00Z");
  for (const [name, hours] of [
    ["a-1.json", 25],
    ["a-2.json", 23],
    ["b-1.json", 25],
  ] as const) {
    const file = path.join(context.home, name);
    writeFileSync(file, "{}");
    const changed = (now - hours * 3_600_000) / 1000;
    utimesSync(file, changed, changed);
  }
  removeUnused(context.home, /^a-\d\.json$/u, now);
  expect(readdirSync(context.home).toSorted()).toEqual(["a-2.json", "b-1.json"]);
});
