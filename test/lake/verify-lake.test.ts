import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { cpSync } from "node:fs";
import { dexdata } from "../harness/dexdata.ts";
import { dataFiles } from "../harness/lake.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY });
const folder = temporaryFolder();
const whole = path.join(folder, "whole");
const root = path.join(folder, "lake");
const pool = "ethereum:0x6cdbaa786e1c1935d4d61336ef5ee11b3d412e8f";

beforeAll(async () => {
  for (const more of [
    [pool, "--from", "2026-11-17", "--kind", "transactions,ohlcv", "--by", "day"],
    ["ethereum:0x85ade1e7513bf30c550191a1094cf6cafc120926", "--kind", "token-ohlcv", "--from", "2026-10-20"],
  ])
    expect((await dexdata(["sync", whole, ...more, "--rpm", "unlimited"], { env: sandbox.env() })).exit).toBe(
      0,
    );
});

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  cpSync(whole, root, { recursive: true });
});

async function verify(now?: string) {
  const { exit, stdout } = await dexdata(["verify", root], now === undefined ? {} : { now });
  const findings = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Object(JSON.parse(line)));
  return { exit, rules: [...new Set(findings.map(({ rule }) => rule))], findings };
}

const days = (): readonly string[] =>
  dataFiles(path.join(root, "transactions")).map((name) => path.join(root, "transactions", name));

test("a directory that sync has written has no findings and no notes", async () => {
  expect(await verify()).toEqual({ exit: 0, rules: [], findings: [] });
});

test("F1: a flipped bit anywhere in any file", async () => {
  const names = [...dataFiles(root), "tokens.parquet"];
  for (const [index, name] of names.entries()) {
    const file = path.join(root, name);
    const bytes = readFileSync(file);
    const at = (index * 7919) % bytes.length;
    bytes[at] = (bytes[at] ?? 0) ^ 4;
    writeFileSync(file, bytes);
  }
  const { exit, rules, findings } = await verify();
  expect({ exit, rules }).toEqual({ exit: 8, rules: ["F1"] });
  expect(findings.map(({ file }) => file)).toEqual(
    expect.arrayContaining(names.map((name) => path.join(root, name))),
  );
});

test("H1: a period without a file", async () => {
  rmSync(days()[1] ?? "");
  const { exit, findings } = await verify();
  expect(exit).toBe(8);
  expect(findings).toMatchObject([
    { rule: "H1", field: "date=2026-11-18", expected: "one file", found: "none" },
  ]);
});

test("L9: a deleted first day, last day or dataset, and files of a removed line", async () => {
  const files = days();
  rmSync(files[0] ?? "");
  rmSync(files.at(-1) ?? "");
  rmSync(path.join(root, "ohlcv"), { recursive: true });
  const { exit, findings } = await verify();
  expect(exit).toBe(8);
  expect(findings.map(({ rule, field }) => [rule, field])).toEqual([
    ["H1", "month=2026-11"],
    ["H1", "date=2026-11-17"],
    ["H1", "date=2026-11-21"],
  ]);
  const list = path.join(root, "assets.ndjson");
  const lines = readFileSync(list, "utf8").split("\n");
  writeFileSync(list, lines.slice(-2).join("\n"));
  const without = await verify();
  expect({ exit: without.exit, rules: without.rules }).toEqual({ exit: 0, rules: ["H1"] });
  expect(without.findings).toMatchObject([
    { level: "note", expected: "a line in assets.ndjson", found: "none, so gaps were not checked" },
  ]);
});

test("a list without lines: verify has a note for each dataset, and sync says what to do", async () => {
  writeFileSync(path.join(root, "assets.ndjson"), "");
  const { exit, rules, findings } = await verify();
  expect({ exit, rules, count: findings.length }).toEqual({ exit: 0, rules: ["H1"], count: 3 });
  const synced = await dexdata(["sync", root, "--error-format", "text"], { env: sandbox.env() });
  expect([synced.exit, synced.stderr]).toEqual([
    2,
    expect.stringContaining(`hint: specify what to collect: dexdata sync ${root} <network:address>`),
  ]);
});

test("L9: a file of another service", async () => {
  const other = path.join(folder, "other-service");
  const words = ["sync", other, pool, "--from", "2026-11-21", "--by", "day", "--sandbox"];
  expect((await dexdata(words, { now: "2026-11-21T08:54:00Z" })).exit).toBe(0);
  const file = days().at(-1) ?? "";
  copyFileSync(path.join(other, path.relative(root, file)), file);
  const { exit, findings } = await verify();
  expect(exit).toBe(8);
  expect(findings).toMatchObject([{ rule: "F4", field: "service", expected: "a local server", file }]);
});

test("F4: exchanged, renamed, doubled and foreign files", async () => {
  const [first = "", second = "", third = ""] = days();
  renameSync(first, `${first}.other`);
  renameSync(second, first);
  renameSync(`${first}.other`, second);
  copyFileSync(third, third.replace("rows.parquet", "open.parquet"));
  writeFileSync(path.join(path.dirname(third), "notes.txt"), "");
  const { exit, rules, findings } = await verify();
  expect({ exit, rules }).toEqual({ exit: 8, rules: ["F4"] });
  expect(new Set(findings.map(({ file }) => path.basename(String(file))))).toEqual(
    new Set(["notes.txt", "rows.parquet", "open.parquet", path.basename(path.dirname(path.dirname(first)))]),
  );
});

test("sync names misplaced files that it does not replace, and verify has no others", async () => {
  const sync = async (...more: readonly string[]) =>
    await dexdata(["sync", root, ...more, "--rpm", "unlimited"], { env: sandbox.env() });
  const [oldest = ""] = days();
  const [token = ""] = dataFiles(path.join(root, "token-ohlcv")).map((name) =>
    path.join(root, "token-ohlcv", name),
  );
  const before = path.join(path.dirname(oldest), "..", "date=2026-11-16", "rows.parquet");
  const cases = [
    [oldest, before, "the file is in the wrong directory: it has rows from 2026-11-17"],
    [
      oldest,
      path.join(path.dirname(oldest), "lost.parquet"),
      "the file has the wrong name: its days are rows",
    ],
    [oldest, path.join(`${path.dirname(oldest)}.copy`, "rows.parquet"), "it is not a file of dexdata sync"],
    [token, path.join(path.dirname(token), "..", "month=2026-09", "rows.parquet"), "in the wrong directory"],
  ] as const;
  const place = (source: string, stray: string): void => {
    mkdirSync(path.dirname(stray), { recursive: true });
    copyFileSync(source, stray);
  };
  const expectNamed = (outcome: { exit: number; stderr: string }, stray: string, problem: string): void => {
    expect(outcome).toMatchObject({ exit: 8, stderr: expect.stringContaining(`${path.normalize(stray)}: `) });
    expect(outcome.stderr).toContain(problem);
    expect(outcome.stderr).toContain("sync does not replace it: move or delete it");
  };
  for (const [source, stray, problem] of cases) {
    place(source, stray);
    expectNamed(await sync(), stray, problem);
    expect((await verify()).exit).toBe(8);
    rmSync(stray);
  }
  for (const [source, stray] of cases) place(source, stray);
  const forced = await sync("--force");
  for (const [, stray, problem] of cases) expectNamed(forced, stray, problem);
  expect((await verify()).findings).toContainEqual(
    expect.objectContaining({
      expected: "the rows of date=2026-11-16",
      found: "rows from 2026-11-17T00:00:00Z to 2026-11-18T00:00:00Z",
    }),
  );
  for (const [, stray] of cases) rmSync(stray);
  expect(await sync("--force")).toMatchObject({ exit: 0, stderr: "" });
  expect(await verify()).toEqual({ exit: 0, rules: [], findings: [] });
});

test("L10: a directory in the place of a file, which sync names as well", async () => {
  const [oldest = ""] = days();
  const stray = path.join(path.dirname(oldest), "..", "date=2026-11-16", "rows.parquet");
  mkdirSync(stray, { recursive: true });
  const { exit, findings } = await verify();
  expect(exit).toBe(8);
  expect(findings).toMatchObject([{ rule: "F1", file: path.normalize(stray), found: "is a directory" }]);
});

test("sync --force names a damaged file from before the start of its dataset", async () => {
  const list = path.join(root, "assets.ndjson");
  writeFileSync(list, readFileSync(list, "utf8").replaceAll('"from":"2026-11-17"', '"from":"2026-11-19"'));
  const [oldest = ""] = days();
  const bytes = readFileSync(oldest);
  bytes[99] = (bytes[99] ?? 0) ^ 4;
  writeFileSync(oldest, bytes);
  const { exit, stderr } = await dexdata(["sync", root, "--force"], { env: sandbox.env() });
  expect({ exit, stderr }).toEqual({ exit: 8, stderr: expect.stringContaining(`${oldest}: `) });
  expect(readFileSync(oldest).equals(bytes)).toBe(true);
});

test("H3: a file that stays open is a note", async () => {
  const { exit, rules, findings } = await verify("2026-11-22T04:00:00Z");
  expect({ exit, rules }).toEqual({ exit: 0, rules: ["H3"] });
  expect(findings).toMatchObject([
    {
      field: "state",
      expected: "a complete period, which ended at 2026-11-21T00:00:00Z",
      found: "an open file",
    },
  ]);
});

test("a table has one line per dataset", async () => {
  const { stdout } = await dexdata(["verify", root, "-o", "table"]);
  expect(stdout.trimEnd().split("\n").length).toBe(1 + 3 + 1);
});

test("the closing line counts the rows of every file, as the table does", async () => {
  const { stdout, stderr } = await dexdata(["verify", root, "-o", "table"], {
    isTerminal: { stderr: true },
  });
  const lines = stdout.trimEnd().split("\n").slice(1);
  const rows = lines.reduce((sum, line) => sum + Number(/[\d,]+/u.exec(line)?.[0].replaceAll(",", "")), 0);
  expect(stderr).toContain(`, ${rows.toLocaleString("en")} rows`);
});

test("a directory in it is refused; the hint names the directory of sync", async () => {
  const [file = ""] = dataFiles(root);
  for (let below = path.dirname(path.join(root, file)); below !== root; below = path.dirname(below)) {
    const { exit, stderr } = await dexdata(["verify", below, "--error-format", "text"]);
    expect([exit, stderr.split("\n")[1]]).toEqual([2, `  hint: verify all of it: dexdata verify ${root}`]);
  }
});

test("another directory is refused, and the commands of hints quote its name", async () => {
  const other = path.join(folder, "it's mine");
  mkdirSync(other);
  const next = async (command: string): Promise<string> =>
    (await dexdata([command, other, "--error-format", "text"], { env: sandbox.env() })).stderr;
  const name = `${folder}/it'\\''s mine'`;
  expect(await next("verify")).toBe(
    `error: "${other}" is a directory without assets.ndjson, so dexdata sync did not create it\n  hint: name the files in it: dexdata verify '${name}/*\n`,
  );
  expect(await next("sync")).toContain(`: dexdata sync '${name} <network:address>\n`);
});

test("H1: tokens without a file, which the next run of sync writes", async () => {
  const tokens = path.join(root, "tokens.parquet");
  rmSync(tokens);
  const { exit, findings } = await verify();
  expect([exit, findings]).toMatchObject([
    0,
    [{ file: tokens, rule: "H1", level: "note", found: "no such file" }],
  ]);
});

test("F4: another file in the place of the tokens, which the next run of sync replaces", async () => {
  const tokens = path.join(root, "tokens.parquet");
  const bytes = readFileSync(tokens);
  copyFileSync(path.join(root, dataFiles(root)[0] ?? ""), tokens);
  const { exit, findings } = await verify();
  expect(exit).toBe(8);
  expect(findings).toMatchObject([{ file: tokens, rule: "F4", found: "another footer" }]);
  expect((await dexdata(["sync", root, "--rpm", "unlimited"], { env: sandbox.env() })).exit).toBe(0);
  expect(readFileSync(tokens).equals(bytes)).toBe(true);
});
