import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata, type Outcome, run } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";
import { marketRows, pool, writtenRows } from "./following.ts";

const sandbox = useSandbox();
const folder = temporaryFolder();
let count = 0;
function newFolder(): string {
  count += 1;
  const made = path.join(folder, String(count));
  mkdirSync(made);
  return made;
}
const from = `--from ${sandboxNow / 1000 - 3600}`;
const window = marketRows(1, sandboxNow - 3_600_000, sandboxNow);
const hour = 3_600_000;

function contextAt(now: number): TestContext {
  // All tests of this file together exceed the rate of the Pro plan.
  const env = { LANG: "C.UTF-8", ...sandbox.env("enterprise") };
  return createTestContext({ now, env });
}

/** Runs with the local clock at this time; the service's clock is correct, and its market does not move. */
async function followAt(now: number, words: string): Promise<Outcome> {
  const argv = `txns ethereum ${pool} --follow --poll 10s --error-format text ${words}`.split(" ");
  return await run(argv, contextAt(now));
}

/** Reads the rows of all files in the directory, in any order. */
function rowsBelow(below: string): readonly string[] {
  const entries = readdirSync(below, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !/\.(?:lock|follow)$/u.test(entry.name))
    .flatMap((entry) => writtenRows(readFileSync(path.join(entry.parentPath, entry.name), "utf8")));
}

const sorted = (rows: readonly string[]): readonly string[] => rows.toSorted();

test("without a checkpoint, a clock that is hours late does not write the rows again", async () => {
  const below = newFolder();
  const words = `${from} --out ${path.join(below, "rows.ndjson")}`;
  await followAt(sandboxNow, `${words} --limit 20`);
  rmSync(path.join(below, ".rows.ndjson.follow"));
  const { stderr } = await followAt(sandboxNow - 3 * hour, `${words} --for 2m`);
  expect(stderr).toContain("continuing after the rows of");
  expect(rowsBelow(below)).toEqual(window);
});

test("without a checkpoint, no row is lost to one dated in the future, or if one was indexed half an hour late", async () => {
  const below = newFolder();
  const file = path.join(below, "rows.ndjson");
  await followAt(sandboxNow, `${from} --out ${file} --for 2m`);
  rmSync(path.join(below, ".rows.ndjson.follow"));
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -10);
  const future = (lines[0] ?? "")
    .replace(/"created_at":"\d+/u, '"created_at":"2035')
    .replace('"id":"', '"id":"9');
  const late = Math.floor(lines.length / 2);
  writeFileSync(file, [...lines.toSpliced(late, 1), future, ""].join("\n"));
  await followAt(sandboxNow, `--out ${file} --for 2m`);
  expect(sorted(rowsBelow(below))).toEqual(sorted([...window, ...writtenRows(`${future}\n`)]));
});

describe("a clock set between runs loses and repeats no row", () => {
  const patterns = [
    "%Y%m%d-%H.ndjson",
    "%Y-%m-%d.ndjson",
    "%H/%d.%m.%Y.ndjson",
    "%Y/%m/%d/%H%M.ndjson",
    "rows.ndjson",
  ];

  test.each([
    ["an hour back, over a file of that hour", [-hour, 0, -hour]],
    ["two hours ahead, then right", [2 * hour, 0]],
    ["a month back, then ahead", [0, -31 * 24 * hour, 40 * 24 * hour]],
    ["to 1970, as without a battery, then right", [0, -sandboxNow, 0]],
    ["years ahead, then right", [10 * 365 * 24 * hour, 0, 0]],
  ])("%s", async (_what, offsets) => {
    // An hour moves a row to another file of most patterns; years are enough with one file and with a file per hour.
    const isNear = offsets.every((offset) => Math.abs(offset) <= hour);
    for (const pattern of isNear || isLong ? patterns : [patterns[0], patterns.at(-1)]) {
      const below = newFolder();
      for (const [index, offset] of offsets.entries()) {
        const words = `--out ${below}/${pattern} --limit 20${index === 0 ? ` ${from}` : ""}`;
        expect((await followAt(sandboxNow + offset, words)).exit).toBe(0);
      }
      expect(sorted(rowsBelow(below)), pattern).toEqual(sorted(window.slice(0, 20 * offsets.length)));
    }
  });

  test("any number of runs with any clocks", async () => {
    const random = createRandom(11);
    for (let seed = 0; seed < (isLong ? 200 : patterns.length); seed += 1) {
      const below = newFolder();
      const pattern = patterns[seed % patterns.length] ?? "";
      let rows = 0;
      for (let index = 0; index < 4; index += 1) {
        const limit = 1 + Math.floor(random() * (window.length / 8));
        const now = sandboxNow + Math.floor((random() - 0.5) * 10 ** (4 + random() * 7));
        const words = `--out ${below}/${pattern} --limit ${limit}${index === 0 ? ` ${from}` : ""}`;
        expect((await followAt(now, words)).exit).toBe(0);
        rows += limit;
      }
      expect(sorted(rowsBelow(below)), `seed ${seed}`).toEqual(sorted(window.slice(0, rows)));
    }
  });

  test("fields in braces: each row is in the file of its own time, and the next run continues", async () => {
    const below = newFolder();
    const out = `${below}/{network}/{pool}/{date-hour}.ndjson`;
    for (const [index, offset] of [0, -40 * 24 * hour, hour].entries()) {
      const { exit, stderr } = await followAt(
        sandboxNow + offset,
        `--out ${out} --limit 30${index === 0 ? ` ${from}` : ""}`,
      );
      expect(exit).toBe(0);
      if (index > 0) expect(stderr).toContain(`note: resuming from ${below}/ethereum/${pool}/`);
    }
    const files = readdirSync(path.join(below, "ethereum", pool)).filter((name) => !name.endsWith(".follow"));
    expect(files).toEqual(["2026-11-21T07.ndjson", "2026-11-21T08.ndjson"]);
    for (const name of files)
      for (const row of rowsOf(readFileSync(path.join(below, "ethereum", pool, name), "utf8")))
        expect(String(row["created_at"]).slice(0, 13)).toBe(name.slice(0, 13));
    expect(sorted(rowsBelow(below))).toEqual(sorted(window.slice(0, 90)));
  });

  test.each(["{dex}.ndjson", "{token}/{date}.ndjson", "{date}%d.ndjson", "{{}.ndjson"])(
    "%s is refused before a request",
    async (name) => {
      sandbox.takeLog();
      const { exit, stderr } = await followAt(sandboxNow, `--out ${newFolder()}/${name} ${from}`);
      expect(exit).toBe(2);
      expect(stderr).toContain("use {network} {pool} {year} {month} {date} {date-hour}; for a brace");
      expect(sandbox.takeLog()).toEqual([]);
    },
  );

  test("files are ordered by their rows, not by their modification times", async () => {
    const below = newFolder();
    const pattern = `${below}/%Y%m%d-%H.ndjson`;
    for (const [index, offset] of [0, -2 * hour, hour].entries())
      await followAt(sandboxNow + offset, `--out ${pattern} --limit 20${index === 0 ? ` ${from}` : ""}`);
    const files = readdirSync(below);
    expect(files.length).toBeGreaterThan(2);
    for (const [index, name] of files.toSorted().entries())
      utimesSync(path.join(below, name), 9 - index, 9 - index);
    await followAt(sandboxNow, `--out ${pattern} --limit 20`);
    expect(sorted(rowsBelow(below))).toEqual(sorted(window.slice(0, 80)));
  });

  test.each([
    ["lacks only its line end", 1, 41],
    ["is cut in the middle", 10, 40],
  ])(
    "a last row that %s, in a file that is not currently written, is written once",
    async (_what, cut, rows) => {
      const below = newFolder();
      const pattern = `${below}/%Y%m%d-%H.ndjson`;
      await followAt(sandboxNow, `--out ${pattern} --limit 20 ${from}`);
      // The rows name the files, so the clock of the next run does not matter.
      const name = readdirSync(below).findLast((each) => statSync(path.join(below, each)).size > 0) ?? "";
      const file = path.join(below, name);
      writeFileSync(file, readFileSync(file, "utf8").slice(0, -cut));
      await followAt(sandboxNow - 2 * hour, `--out ${pattern} --limit 20`);
      // Opens the first file again, and repairs its end.
      await followAt(sandboxNow, `--out ${pattern} --limit 1`);
      expect(sorted(rowsBelow(below))).toEqual(sorted(window.slice(0, rows)));
    },
  );

  test("rows that a killed run wrote after its checkpoint are not repeated, although the clock was set back", async () => {
    const below = newFolder();
    const [file, checkpoint] = [path.join(below, "rows.ndjson"), path.join(below, ".rows.ndjson.follow")];
    await followAt(sandboxNow, `--out ${file} --limit 20 ${from}`);
    const saved = readFileSync(checkpoint);
    await followAt(sandboxNow, `--out ${file} --limit 20`);
    writeFileSync(checkpoint, saved);
    // The run was killed while it replaced the checkpoint.
    const staged = `${checkpoint}.0123456789abcdef.new`;
    writeFileSync(staged, "");
    const before = statSync(checkpoint).mtimeMs / 1000 - 3600;
    utimesSync(file, before, before);
    await followAt(sandboxNow, `--out ${file} --limit 20`);
    expect(writtenRows(readFileSync(file, "utf8"))).toEqual(window.slice(0, 60));
    expect(existsSync(staged)).toBe(false);
  });

  test("rows of other pools in the same file are ignored", async () => {
    const file = path.join(newFolder(), "rows.ndjson");
    await followAt(sandboxNow, `--out ${file} --limit 20 ${from}`);
    const ours = readFileSync(file, "utf8");
    const other = ours.replaceAll(pool, "0x0000000000000000000000000000000000000001");
    writeFileSync(file, ours + other.repeat(5));
    const before = readFileSync(file, "utf8").length;
    await followAt(sandboxNow, `--out ${file} --limit 20`);
    expect(writtenRows(readFileSync(file, "utf8").slice(before))).toEqual(window.slice(20, 40));
  });
});

describe("two followers", () => {
  /** Starts a follower, waits until it has written rows, and lets it run until it is interrupted. */
  async function holding(out: string, below: string): Promise<{ end: () => Promise<Outcome> }> {
    const context = contextAt(sandboxNow);
    const argv = `txns ethereum ${pool} --follow --poll 10s ${from} --out ${out}`.split(" ");
    const outcome = run(argv, context);
    while (rowsBelow(below).length < window.length) await new Promise(setImmediate);
    return {
      end: async () => {
        context.interrupt({ cause: "SIGTERM" });
        return await outcome;
      },
    };
  }

  const refusal = (out: string, lock: string): object => ({
    exit: 7,
    stdout: "",
    stderr:
      `error: ${out} is in use by process ${process.pid}\n` +
      `  hint: wait until it has finished, or stop it; if it is not dexdata, delete ${lock}\n`,
  });

  test.each([
    ["one file", "rows.ndjson", "rows.ndjson.lock"],
    ["one pattern", "%Y%m%d-%H.ndjson", "%Y%m%d-%H.ndjson.lock"],
    ["one pattern of folders", "%Y/%m/rows.ndjson", "%Y_%m_rows.ndjson.lock"],
    ["one pattern with fields", "{network}/{date}.ndjson", "ethereum_%Y-%m-%d.ndjson.lock"],
    ["one file with fields", "{network}.ndjson", "ethereum.ndjson.lock"],
  ])("on %s: the second is rejected, and no row is written twice", async (_what, name, lockName) => {
    const below = newFolder();
    const [out, lock] = [path.join(below, name), path.join(below, lockName)];
    const first = await holding(out, below);
    sandbox.takeLog();
    const { exit, stdout, stderr } = await followAt(sandboxNow, `--out ${out} ${from}`);
    expect({ exit, stdout, stderr }).toEqual(refusal(out, lock));
    expect((await first.end()).exit).toBe(143);
    expect([existsSync(lock), sorted(rowsBelow(below))]).toEqual([false, sorted(window)]);
    expect((await followAt(sandboxNow, `--out ${out} --for 1m`)).exit).toBe(0);
    expect(sorted(rowsBelow(below))).toEqual(sorted(window));
  });

  test("a pull into the file of a follower is rejected", async () => {
    const below = newFolder();
    const out = path.join(below, "rows.ndjson");
    const first = await holding(out, below);
    const { exit, stdout, stderr } = await dexdata(`networks --out ${out} --force --error-format text`, {
      env: sandbox.env(),
    });
    expect({ exit, stdout, stderr }).toEqual(refusal(out, `${out}.lock`));
    await first.end();
  });

  test("a follower that lost its lock while suspended ends with exit 1, and writes no more rows", async () => {
    const below = newFolder();
    const out = path.join(below, "rows.ndjson");
    const context = contextAt(sandboxNow);
    const argv = `txns ethereum ${pool} --follow --poll 10s ${from} --error-format text --out ${out}`.split(
      " ",
    );
    const outcome = run(argv, context);
    while (!existsSync(`${out}.lock`)) await new Promise(setImmediate);
    writeFileSync(`${out}.new`, "");
    renameSync(`${out}.new`, `${out}.lock`);
    const { exit, stderr } = await outcome;
    expect([exit, stderr]).toEqual([
      1,
      expect.stringContaining(`${out}.lock was removed or taken over by another process during the run\n`),
    ]);
    expect([rowsOf(readFileSync(out, "utf8")), existsSync(`${out}.lock`)]).toEqual([[], true]);
  });

  test("a directory in which no lock can be created is rejected with a message", async () => {
    const { exit, stderr } = await followAt(sandboxNow, `--out /proc/rows.ndjson`);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining('--out "/proc/rows.ndjson": cannot be written'),
    ]);
  });
});
