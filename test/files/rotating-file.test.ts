import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { open as openFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Clock } from "../../src/base/context/context.ts";
import { checkFields, earlierFiles, fileOf, fixedFolder } from "../../src/base/files/file-pattern.ts";
import { checkOutPattern, openRotatingFile, type RotatingFile } from "../../src/rows/rotating-file.ts";
import type { TornLine } from "../../src/base/files/last-lines.ts";
import { createRandom } from "../harness/random.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
let count = 0;
const fields = ["network", "pool", "token", "candle"];

function readLink(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

/** A new directory for one test. */
function newFolder(): string {
  const made = path.join(folder, String((count += 1)));
  mkdirSync(made);
  return made;
}

const at = (text: string): number => Date.parse(text);
const midnight = at("2026-11-22T00:00:00Z");

async function open(
  pattern: string,
  now = midnight - 60_000,
  elapsed = () => 0,
  sleep: Clock["sleep"] = async () => await Promise.resolve(),
): Promise<RotatingFile & { repairs: TornLine[] }> {
  const repairs: TornLine[] = [];
  const clock = { now: () => now, elapsed, sleep };
  checkOutPattern(pattern, now, fields);
  const file = await openRotatingFile(pattern, clock, (_file, torn) => repairs.push(torn), false, now);
  return { ...file, repairs };
}

function filesIn(made: string): Record<string, string> {
  const names = readdirSync(made, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return Object.fromEntries(
    names.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [path.relative(made, file), readFileSync(file, "utf8")];
    }),
  );
}

describe("the file name for a time", () => {
  test.each([
    { pattern: "ticks-%Y%m%d.ndjson", instant: "2026-11-21T23:59:59.999Z", file: "ticks-20261121.ndjson" },
    { pattern: "ticks-%Y%m%d.ndjson", instant: "2026-11-22T00:00:00.000Z", file: "ticks-20261122.ndjson" },
    { pattern: "%H-%M", instant: "2026-01-02T03:04:05Z", file: "03-04" },
    { pattern: "%Y/%m/%d", instant: "2026-01-02T03:04:05+02:00", file: "2026/01/02" },
    { pattern: "100%%-%%Y", instant: "2026-01-02T03:04:05Z", file: "100%-%Y" },
    { pattern: "plain.ndjson", instant: "2026-01-02T03:04:05Z", file: "plain.ndjson" },
  ])("$pattern at $instant", ({ pattern, instant, file }) => {
    expect(fileOf(pattern, at(instant))).toBe(file);
  });

  test.each(["%y", "%S", "%s", "%-d", "100%", "%__proto__"])("%j is an unknown sequence", (pattern) => {
    expect(() => fileOf(pattern, midnight)).toThrow(
      pattern === "100%" ? /must not end with %$/u : /unknown sequence %.$/u,
    );
  });

  test.each([
    ["/data/ticks-%Y.ndjson", "/data"],
    ["/data/%Y/ticks.ndjson", "/data"],
    ["/data/x%Y/%m/ticks.ndjson", "/data"],
    ["/da%%ta/%Y/ticks.ndjson", "/da%ta"],
    ["/data/ticks.ndjson", "/data"],
  ])("%s needs the directory %s", (pattern, needed) => {
    expect(fixedFolder(pattern)).toBe(needed);
  });
});

test.skipIf(process.platform !== "linux")(
  "a directory that never exists is an error, not an endless run",
  async () => {
    await expect(open("/proc/%Y/x.ndjson")).rejects.toThrow(/cannot be written|there is no/u);
  },
);

describe("rejected before a request is sent", () => {
  test.each([
    { what: "a missing directory", file: "none/x.ndjson", message: /directory .* does not exist/u },
    {
      what: "a missing directory above a time pattern",
      file: "none/%Y/x.ndjson",
      message: /directory .* does not exist/u,
    },
    { what: "a directory", file: ".", message: /must be a file, not a directory/u },
    { what: "an unknown sequence", file: "%Q.ndjson", message: /unknown sequence %Q/u },
  ])("$what", ({ file, message }) => {
    expect(() => checkOutPattern(path.join(newFolder(), file), midnight, [])).toThrow(message);
  });

  test("a device", () => {
    expect(() => checkOutPattern("/dev/null", midnight, [])).toThrow(/must be a regular file/u);
  });
});

describe("fields in braces", () => {
  const time = at("2026-11-21T08:54:59Z");

  test.each([
    ["{year}/{month}/{date}/{date-hour}.ndjson", "2026/2026-11/2026-11-21/2026-11-21T08.ndjson"],
    ["{network}-{pool}/{token}.{candle}", "ethereum-0xab/unknown.1s"],
    ["{{{date}}}", "{2026-11-21}"],
  ])("%s", (pattern, file) => {
    checkFields(pattern, fields);
    expect(fileOf(pattern, time, { network: "ethereum", pool: "0xAB", candle: "1s" })).toBe(file);
  });

  test.each([
    ["{day}.ndjson", /the rows have no field \{day\}$/u],
    ["{dex}/{date}.ndjson", /the rows have no field \{dex\}$/u],
    ["{__proto__}", /no field/u],
    ["{}", /no field \{\}$/u],
    ["{date", /unpaired \{$/u],
    ["date}", /unpaired \}$/u],
    ["{network}/%Y.ndjson", /must not combine \{ \} with %$/u],
    ["{date}-100%%", /must not combine/u],
  ])("%s is refused", (pattern, message) => {
    expect(() => checkFields(pattern, fields)).toThrow(message);
  });

  test.each([
    ["{dates}.ndjson", "did you mean {date}?"],
    ["{hour}.ndjson", "use {network} {pool} {token} {candle} {year} {month} {date} {date-hour}; "],
  ])("%s is refused with the nearest field, or with all", (pattern, next) => {
    const refused = (): unknown => {
      try {
        return checkFields(pattern, fields);
      } catch (cause) {
        return cause;
      }
    };
    expect(refused()).toHaveProperty("next", expect.stringContaining(next));
  });

  const hostile = [
    "../../etc/passwd",
    "..",
    ".",
    "/",
    String.raw`a\..\b`,
    "a\0b\n\u001B[2J",
    "CON",
    "nul.txt",
    "x.",
    ".bashrc",
    "%2e%2e",
    "{date}%Y",
    "\u202Etxt",
    "a".repeat(5000),
    "é".repeat(5000),
    "\uD800",
    "0x2::sui::SUI",
  ];

  test("no name from a row leaves its place in the path, and no two names share a file", () => {
    const files = hostile.map((name) =>
      fileOf("data/{network}/{pool}.ndjson", time, { network: name, pool: name }),
    );
    for (const file of files) {
      expect(file).toMatch(/^data\/[\w.%~-]{1,80}\/[\w.%~-]{1,80}\.ndjson$/u);
      expect(file).not.toMatch(/\/\.|\.\/|\/(?:con|nul)[./]/iu);
    }
    expect(new Set(files).size).toBe(hostile.length);
    expect(fileOf("{pool}", time, { pool: "0x2::sui::SUI" })).toBe("0x2%3A%3Asui%3A%3ASUI");
  });

  test("names of directories and files are created below the fixed directory only", async () => {
    const made = newFolder();
    const file = await open(path.join(made, "{network}/{pool}-{date}.ndjson"));
    for (const [index, name] of hostile.entries())
      await file.write(`{"n":${index}}\n`, time, { network: name, pool: name });
    await file.close();
    const there = Object.entries(filesIn(made));
    expect(there.map(([, text]) => text).toSorted()).toEqual(
      hostile.map((_, n) => `{"n":${n}}\n`).toSorted(),
    );
    expect(readdirSync(path.dirname(made))).not.toContain("etc");
  });

  test("files of earlier runs are found, whatever their names are, the last one first", async () => {
    const made = newFolder();
    const pattern = path.join(made, "{network}/{{{pool}}}-{date-hour}.ndjson");
    const file = await open(pattern);
    const ours = { network: "sui", pool: "0x2::x" };
    for (const hour of [1, 3, 2]) await file.write("{}\n", midnight + hour * 3_600_000, ours);
    await file.write("{}\n", midnight, { ...ours, pool: "0x3" });
    await file.close();
    const names = [
      ...[1, 3, 2].map((hour) => `sui/{0x2%3A%3Ax}-2026-11-22T0${hour}.ndjson`),
      "sui/{0x3}-2026-11-22T00.ndjson",
    ];
    for (const [second, name] of names.entries()) utimesSync(path.join(made, name), 1000, 1000 - second);
    expect(earlierFiles(pattern).map((each) => path.relative(made, each.file))).toEqual(names);
  });
});

test.skipIf(process.platform !== "linux")("at most 256 files are open, and no line is lost", async () => {
  const made = newFolder();
  const file = await open(path.join(made, "{pool}.ndjson"));
  const openFiles = (): number => {
    const links = readdirSync("/proc/self/fd").map((each) => readLink(`/proc/self/fd/${each}`));
    return links.filter((link) => link.startsWith(made)).length;
  };
  let most = 0;
  for (let line = 0; line < 600; line += 1) {
    await file.write(`{"n":${line}}\n`, midnight, { pool: `p${(line * 7) % 300}` });
    if (line % 50 === 49) most = Math.max(most, openFiles());
  }
  await file.close();
  expect([most, openFiles()]).toEqual([256, 0]);
  const lines = Object.values(filesIn(made)).flatMap((text) => text.trimEnd().split("\n"));
  expect(lines.toSorted()).toEqual(Array.from({ length: 600 }, (_, n) => `{"n":${n}}`).toSorted());
});

test("a file that was closed to make room is saved to disk as well, unless it was moved", async () => {
  const made = newFolder();
  const file = await open(path.join(made, "{pool}.ndjson"));
  const names = Array.from({ length: 300 }, (_, n) => path.join(made, `p${n}.ndjson`));
  for (const [n] of names.entries()) await file.write("{}\n", midnight, { pool: `p${n}` });
  const [moved = "", ...others] = names;
  renameSync(moved, `${moved}.1`);
  const saved = await file.sync(names);
  expect(saved).toEqual(Object.fromEntries(others.map((name) => [name, 3])));
  expect(existsSync(moved)).toBe(false);
  await file.close();
});

test.skipIf(process.platform !== "linux")(
  "a file that is no longer written is closed when another one is opened",
  async () => {
    const made = newFolder();
    let elapsed = 0;
    const file = await open(path.join(made, "{pool}.ndjson"), midnight, () => elapsed);
    for (const pool of ["a", "b", "c"]) {
      await file.write("{}\n", midnight, { pool });
      elapsed += 61_000;
    }
    const links = readdirSync("/proc/self/fd").map((each) => readLink(`/proc/self/fd/${each}`));
    expect(links.filter((link) => link.startsWith(made))).toEqual([path.join(made, "c.ndjson")]);
    await file.close();
  },
);

test("a file with an unfinished pull is refused, whenever it is opened", async () => {
  const made = newFolder();
  writeFileSync(path.join(made, "b.ndjson.resume"), "");
  const file = await open(path.join(made, "{pool}.ndjson"));
  await file.write("{}\n", midnight, { pool: "a" });
  await expect(file.write("{}\n", midnight, { pool: "b" })).rejects.toThrow(/unfinished pull/u);
  await file.close();
  expect(filesIn(made)).toEqual({ "a.ndjson": "{}\n", "b.ndjson.resume": "" });
});

test("each complete line goes to the file for its time", async () => {
  const made = newFolder();
  const file = await open(path.join(made, "ticks-%Y%m%d.ndjson"));
  await file.write('{"n":1}\n', midnight - 1);
  await file.write('{"n":2}\n{"n":3}\n', midnight);
  // A late row.
  await file.write('{"n":4}\n', midnight - 1);
  await file.write(Buffer.from('{"n":5}\n'), midnight + 86_400_000);
  await file.close();
  expect(filesIn(made)).toEqual({
    "ticks-20261121.ndjson": '{"n":1}\n{"n":4}\n',
    "ticks-20261122.ndjson": '{"n":2}\n{"n":3}\n',
    "ticks-20261123.ndjson": '{"n":5}\n',
  });
});

test("no line is lost, split or moved if many writers cross many boundaries at once", async () => {
  const made = newFolder();
  const file = await open(path.join(made, "%H%M.ndjson"));
  const random = createRandom(5);
  const expected: Record<string, string> = {};
  const writes = Array.from({ length: 500 }, async (_, index) => {
    const instant = midnight + Math.floor(random() * 10) * 60_000;
    const line = `{"n":${index},"x":"${"é".repeat(Math.floor(random() * 2000))}"}\n`;
    const name = path.basename(fileOf("%H%M.ndjson", instant));
    expected[name] = (expected[name] ?? "") + line;
    await file.write(line, instant);
  });
  await Promise.all(writes);
  await file.close();
  const { "2359.ndjson": first, ...others } = filesIn(made);
  expect(others).toEqual(expected);
  expect(first, "the file of the start").toBe("");
});

describe("a file that another program moves", () => {
  test("is closed with the first line after a second, and created again; so is a removed file", async () => {
    const made = newFolder();
    const [now, old] = [path.join(made, "x.ndjson"), path.join(made, "x.ndjson.1")];
    let elapsed = 0;
    const file = await open(now, undefined, () => elapsed);
    await file.write('{"n":1}\n');
    renameSync(now, old);
    await file.write('{"n":2}\n');
    elapsed += 1000;
    await file.write('{"n":3}\n');
    expect(filesIn(made)).toEqual({ "x.ndjson": '{"n":3}\n', "x.ndjson.1": '{"n":1}\n{"n":2}\n' });
    rmSync(now);
    elapsed += 1000;
    await file.write('{"n":4}\n');
    // The file that logrotate creates with `create`.
    renameSync(now, `${old}.2`);
    writeFileSync(now, "");
    elapsed += 1000;
    await file.write('{"n":5}\n');
    await file.close();
    expect(filesIn(made)).toEqual({
      "x.ndjson": '{"n":5}\n',
      "x.ndjson.1": '{"n":1}\n{"n":2}\n',
      "x.ndjson.1.2": '{"n":4}\n',
    });
  });

  test("its size is not that of the file that has its name now", async () => {
    const made = newFolder();
    const [now, other] = [path.join(made, "x.ndjson"), path.join(made, "y.ndjson")];
    const file = await open(now);
    await file.write('{"n":1}\n');
    expect(await file.sync([])).toEqual({ [now]: 8 });
    renameSync(now, other);
    expect(await file.sync([])).toEqual({});
    writeFileSync(now, "");
    // Otherwise, the next run would ignore its checkpoint, because the file seems to have become shorter.
    expect(await file.sync([])).toEqual({});
    await file.close();
  });

  test("repeatedly during many writes: each complete line is in one of the files, once and in order", async () => {
    const made = newFolder();
    const name = path.join(made, "x.ndjson");
    let elapsed = 0;
    const file = await open(name, undefined, () => (elapsed += 200));
    const random = createRandom(7);
    const lines: string[] = [];
    for (let moved = 0; moved < 30; moved += 1) {
      const some = Array.from(
        { length: 20 },
        (_, index) => `{"n":${moved * 20 + index},"x":"${"é".repeat(200)}"}\n`,
      );
      lines.push(...some);
      const writes = some.map(async (line) => await file.write(line));
      for (let turns = random() * 20; turns > 0; turns -= 1) await new Promise(setImmediate);
      renameSync(name, path.join(made, String(moved).padStart(2, "0")));
      await Promise.all([...writes, file.write("")]);
      await file.write("");
    }
    await file.close();
    const all = Object.entries(filesIn(made)).toSorted(([a], [b]) => (a < b ? -1 : 1));
    expect(all.length).toBeGreaterThan(20);
    expect(all.map(([, text]) => text).join("")).toBe(lines.join(""));
  });
});

test("directories with time patterns are created", async () => {
  const made = newFolder();
  const file = await open(path.join(made, "%Y/%m/ticks.ndjson"));
  await file.write("{}\n", at("2027-03-01T00:00:00Z"));
  await file.close();
  expect(filesIn(made)).toEqual({ "2026/11/ticks.ndjson": "", "2027/03/ticks.ndjson": "{}\n" });
});

describe("existing content is preserved", () => {
  test.each([
    { what: "complete lines", there: '{"n":1}\n', after: '{"n":1}\n{"n":2}\n', kinds: [] },
    { what: "an empty file", there: "", after: '{"n":2}\n', kinds: [] },
    {
      what: "except that a partial line is removed",
      there: '{"n":1}\n{"n":1',
      after: '{"n":1}\n{"n":2}\n',
      kinds: ["cut"],
    },
    { what: "except a partial line without others", there: '{"n', after: '{"n":2}\n', kinds: ["cut"] },
    {
      what: "except a line that ends within a character",
      there: Buffer.from('{"n":1}\n{"n":"é').subarray(0, -1),
      after: '{"n":1}\n{"n":2}\n',
      kinds: ["cut"],
    },
    {
      what: "and a complete line without a line break gets one",
      there: '{"n":1}',
      after: '{"n":1}\n{"n":2}\n',
      kinds: ["ended"],
    },
  ])("$what", async ({ there, after, kinds }) => {
    const made = newFolder();
    writeFileSync(path.join(made, "x.ndjson"), there);
    const file = await open(path.join(made, "x.ndjson"));
    await file.write('{"n":2}\n');
    await file.close();
    expect(filesIn(made)).toEqual({ "x.ndjson": after });
    expect(file.repairs.map(({ kind }) => kind)).toEqual(kinds);
  });

  test("a file with other content is not changed", async () => {
    const made = newFolder();
    const other = path.join(made, "notes.txt");
    writeFileSync(other, "no end of line");
    await expect(open(other)).rejects.toThrow(/must contain only lines of JSON/u);
    expect(readFileSync(other, "utf8")).toBe("no end of line");
  });

  test("neither is a file that consists of one endless line", async () => {
    const other = path.join(newFolder(), "huge");
    writeFileSync(other, "x");
    for (let mebibyte = 0; mebibyte < 5; mebibyte++) appendFileSync(other, "{".repeat(1024 * 1024));
    await expect(open(other)).rejects.toThrow(/must contain only lines of JSON/u);
  });

  test("a file whose time returns is repaired like the first", async () => {
    const made = newFolder();
    const file = await open(path.join(made, "%H.ndjson"));
    writeFileSync(path.join(made, "00.ndjson"), '{"n":1}\n{"torn');
    await file.write('{"n":2}\n', midnight);
    await file.close();
    expect(filesIn(made)["00.ndjson"]).toBe('{"n":1}\n{"n":2}\n');
  });
});

describe("a partial line of another process", () => {
  const others = Buffer.from('{"n":1,"x":"é"}\n{"n":2}\n');

  test("is never removed, whatever its length", async () => {
    const file = path.join(newFolder(), "x.ndjson");
    for (let length = 0; length <= others.length; length += 1) {
      writeFileSync(file, others.subarray(0, length));
      let isWritten = false;
      const appendNext = (): void => {
        if (!isWritten) appendFileSync(file, others.subarray(length));
        isWritten = true;
      };
      const mine = await open(file, undefined, undefined, async () => await Promise.resolve(appendNext()));
      appendNext();
      await mine.write('{"n":3}\n');
      await mine.close();
      expect(readFileSync(file, "utf8"), `${length} bytes written`).toBe(`${String(others)}{"n":3}\n`);
      expect(mine.repairs).toEqual([]);
    }
  });

  test("stays while it grows; after a second without a change, it counts as left by a killed run", async () => {
    const file = path.join(newFolder(), "x.ndjson");
    const open10 = async (growsAt: number): Promise<{ slept: number; text: string }> => {
      writeFileSync(file, '{"n":1}\n{"n":2,');
      let slept = 0;
      const mine = await open(file, undefined, undefined, async (milliseconds) => {
        slept += milliseconds;
        if (slept === growsAt) appendFileSync(file, '"x":');
        await Promise.resolve();
      });
      await mine.close();
      return { slept, text: readFileSync(file, "utf8") };
    };
    expect(await open10(900)).toEqual({ slept: 900, text: '{"n":1}\n{"n":2,"x":' });
    expect(await open10(2000)).toEqual({ slept: 1000, text: '{"n":1}\n' });
  });

  test("of 700 KB: two processes that append to one file lose and split no lines", async () => {
    const file = path.join(newFolder(), "x.ndjson");
    const lines = 40;
    const script = `const { openSync, writeSync } = require("node:fs");
      const file = openSync(${JSON.stringify(file)}, "a");
      const text = "x".repeat(700_000);
      for (let n = 0; n < ${lines}; n += 1) writeSync(file, Buffer.from(JSON.stringify({ n, text }) + "\\n"));`;
    const writer = spawn(process.execPath, ["-e", script]);
    const over = once(writer, "exit");
    const isOver = (): boolean => writer.exitCode !== null || writer.signalCode !== null;
    const sizeOf = (): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    // Even on a slow machine, the next check happens after the writer has made progress or ended.
    const untilChanged = async (): Promise<void> => {
      for (const before = sizeOf(); sizeOf() === before && !isOver();) await new Promise(setImmediate);
    };
    let mine = 0;
    while (!isOver()) {
      const opened = await open(file, undefined, undefined, untilChanged);
      await opened.write(`${JSON.stringify({ mine, text: "y".repeat(700_000) })}\n`);
      await opened.close();
      expect(opened.repairs).toEqual([]);
      mine += 1;
    }
    expect((await over)[0]).toBe(0);
    const rows = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    const numbersOf = (name: string): readonly unknown[] =>
      rows.flatMap((row) => (Object.hasOwn(Object(row), name) ? [Object(row)[name]] : []));
    expect(numbersOf("n")).toEqual(Array.from({ length: lines }, (_, n) => n));
    expect(numbersOf("mine")).toEqual(Array.from({ length: mine }, (_, n) => n));
  });
});

test("a file without permission to open causes one clear error", async () => {
  const made = newFolder();
  writeFileSync(path.join(made, "x"), "");
  await expect(open(path.join(made, "x", "%Y", "y.ndjson"))).rejects.toThrow(/directory .* does not exist/u);
  await expect(open(path.join(made, "x", "y", "z.ndjson"))).rejects.toThrow(/directory .* does not exist/u);
  await expect(open(path.join(made, "x".repeat(300)))).rejects.toThrow(
    /cannot be written \(file name too long\)/u,
  );
  const file = await open(path.join(made, "%H"));
  mkdirSync(path.join(made, "00"));
  await expect(file.write("{}\n", midnight)).rejects.toThrow(/00": cannot be written \(is a directory\)/u);
  await file.close();
});

test.each(["sync", "close"] as const)(
  "an error while rows are saved to disk names the file: %s",
  async (how) => {
    const made = newFolder();
    const name = path.join(made, "rows.ndjson");
    const file = await open(name);
    await file.write("{}\n");
    const other = await openFile(name);
    const full = Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO", syscall: "fsync" });
    const saving = vi.spyOn(Object.getPrototypeOf(other), "sync").mockRejectedValueOnce(full);
    await expect(how === "sync" ? file.sync([]) : file.close()).rejects.toMatchObject({
      message: `--out "${name}": cannot be written (disk error)`,
      exit: 1,
    });
    saving.mockRestore();
    await Promise.all([file.close(), other.close()]);
  },
);
