import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { binaryEnv, ended, program } from "../harness/binary.ts";
import { dexdata } from "../harness/dexdata.ts";
import { dataFiles, hashesOf } from "../harness/lake.ts";
import { rowsOfDays, seconds, startMarketService } from "../harness/market-service.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pools = ["a", "b"].map((letter) => `0x${letter.repeat(40)}`);
const days = ["2026-11-15", "2026-11-16", "2026-11-17"];
const folder = temporaryFolder();
const [whole, outside] = [path.join(folder, "whole"), path.join(folder, "outside")];
const now = seconds("2026-11-17T08:00:00Z");
let service: Awaited<ReturnType<typeof startMarketService>> | undefined;

beforeAll(async () => {
  const market = pools.map(
    (pool) =>
      [pool, { rows: rowsOfDays(pool, ["2026-11-14", ...days], 20), created: days[0] ?? "" }] as const,
  );
  service = await startMarketService(() => now, new Map(market));
  const outcome = await sync(
    whole,
    ...pools.map((pool) => `ethereum:${pool}`),
    "--from",
    "2026-11-15",
    "--by",
    "day",
  );
  expect(outcome).toMatchObject({ exit: 0, stderr: "" });
});
afterAll(async () => await service?.close());

async function sync(root: string, ...words: readonly string[]) {
  return await dexdata(["sync", root, ...words, "--rpm", "unlimited", "--error-format", "text"], {
    env: { DEXDATA_BASE_URL: service?.url ?? "" },
    now: now * 1000,
  });
}

const verify = async (root: string) => await dexdata(["verify", root], { now: now * 1000 });

/** A copy of the directory, and a directory outside it that must not change. */
function prepare(name: string): string {
  const root = path.join(folder, name);
  cpSync(whole, root, { recursive: true });
  rmSync(outside, { recursive: true, force: true });
  mkdirSync(path.join(outside, "deep"), { recursive: true });
  // Names that a run would use or remove.
  for (const file of ["thesis.txt", "0123456789abcdef.ndjson", "rows.parquet", "deep/open.parquet"])
    writeFileSync(path.join(outside, file), file);
  return root;
}

const seenOutside = (): readonly string[] =>
  readdirSync(outside, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const file = path.join(outside, name);
      return lstatSync(file).isFile() ? `${name} ${readFileSync(file, "utf8")}` : name;
    });

const dataset = `transactions/network=ethereum/pool=${pools[0] ?? ""}`;
const places = [
  ".dexdata",
  ".dexdata/work",
  ".dexdata/replaced",
  "transactions",
  "transactions/network=ethereum",
  dataset,
  `${dataset}/date=2026-11-15`,
  `${dataset}/date=2026-11-17`,
];

test.each(places)("L7: nothing behind a link at %s is changed", async (place) => {
  const root = prepare(`link ${place.replaceAll("/", " ")}`);
  const linked = path.join(root, place);
  rmSync(linked, { recursive: true, force: true });
  symlinkSync(outside, linked);
  const before = seenOutside();
  const outcome = await sync(root, "--force");
  expect(seenOutside()).toEqual(before);
  expect(outcome.stderr).not.toContain("internal");
  if (place === ".dexdata/replaced") return;
  expect(outcome.exit).not.toBe(0);
  expect(outcome.stderr).toContain(`${linked} is a link`);
});

test("L7: work that has another form of name stays", async () => {
  const root = prepare("own names");
  const work = path.join(root, ".dexdata", "work");
  mkdirSync(work, { recursive: true });
  symlinkSync(path.join(outside, "thesis.txt"), path.join(work, "0123456789abcdef.ndjson"));
  const names = ["notes.txt", "fedcba9876543210.ndjson", "rows.parquet"];
  for (const name of names) writeFileSync(path.join(work, name), "");
  const before = seenOutside();
  expect((await sync(root, "--force")).exit).toBe(0);
  expect(readdirSync(work).toSorted()).toEqual(["0123456789abcdef.ndjson", "notes.txt", "rows.parquet"]);
  expect(seenOutside()).toEqual(before);
});

/** Each damages one file. */
const damages: readonly (readonly [name: string, damage: (file: string) => void])[] = [
  ["a link", (file) => symlinkSync(path.join(outside, "rows.parquet"), file)],
  ["a dangling link", (file) => symlinkSync(path.join(outside, "nothing"), file)],
  ["a link to itself", (file) => symlinkSync(file, file)],
  ["a directory", (file) => mkdirSync(path.join(file, "deep"), { recursive: true })],
  ["another file", (file) => writeFileSync(file, "PAR1")],
];

test.each(damages)("L10: %s in the place of a file is damage of that file", async (name, damage) => {
  const root = prepare(`damage ${name}`);
  const [first = ""] = dataFiles(root);
  const file = path.join(root, first);
  rmSync(file);
  damage(file);
  const before = seenOutside();
  const found = await verify(root);
  expect(found.exit).toBe(8);
  expect(found.stdout).toContain(path.basename(path.dirname(file)));
  const outcome = await sync(root);
  expect(outcome.stderr).toContain(`replaced ${file}`);
  expect(outcome.exit).toBe(0);
  expect(hashesOf(root)).toEqual(hashesOf(whole));
  expect(seenOutside()).toEqual(before);
  expect((await verify(root)).exit).toBe(0);
});

test("L10: a file in the place of a directory fails one asset, and the others continue", async () => {
  const root = prepare("misplaced");
  const [first = ""] = dataFiles(root);
  rmSync(path.join(root, path.dirname(first)), { recursive: true });
  writeFileSync(path.join(root, path.dirname(first)), "");
  const other = path.join(root, dataFiles(root).at(-1) ?? "");
  rmSync(other);
  const outcome = await sync(root);
  expect(outcome.exit).toBe(8);
  expect(outcome.stderr).toContain("is not a directory");
  expect(existsSync(other)).toBe(true);
  expect((await verify(root)).exit).toBe(8);
});

test("L10: a file in the place of the directory of a kind: the other kinds continue", async () => {
  const root = prepare("kind");
  rmSync(path.join(root, "transactions"), { recursive: true });
  writeFileSync(path.join(root, "transactions"), "");
  const { exit, stderr } = await sync(
    root,
    `ethereum:${pools[0]}`,
    "--kind",
    "ohlcv",
    "--from",
    "2026-11-15",
  );
  expect([exit, stderr]).toEqual([8, expect.stringContaining("transactions is not a directory")]);
  expect(dataFiles(root)).toEqual([expect.stringMatching(/^ohlcv/u)]);
});

test.each(["views.sql", "assets.ndjson"])("L10: a directory in the place of %s is named", async (name) => {
  const root = prepare(`directory-${name}`);
  rmSync(path.join(root, name), { force: true });
  mkdirSync(path.join(root, name));
  const { exit, stderr } = await sync(root);
  expect([exit, stderr]).toEqual([1, expect.stringContaining(`${name} cannot be read (is a directory)`)]);
});

test("L16: an estimate changes nothing", async () => {
  const root = prepare("estimate");
  const [first = ""] = dataFiles(root);
  // As after a kill between two renames.
  renameSync(path.join(root, first), path.join(root, first.replace("rows.parquet", "open.parquet")));
  const before = dataFiles(root);
  expect((await sync(root, "--estimate")).exit).toBe(0);
  expect(dataFiles(root)).toEqual(before);
  expect((await sync(root)).exit).toBe(0);
  expect(hashesOf(root)).toEqual(hashesOf(whole));
});

/** Root runs the program without the power to read every file. */
async function runWithoutPower(...words: readonly string[]) {
  const isRoot = process.getuid?.() === 0;
  const prefix = isRoot ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : [];
  const [file = "", ...args] = [...prefix, process.execPath, program, ...words];
  const env = binaryEnv({ DEXDATA_BASE_URL: service?.url ?? "", DEXDATA_NOW: String(now) });
  return await ended(spawn(file, args, { env, stdio: "pipe" }));
}

test("L10: a file of another user is damage", async () => {
  const root = prepare("unreadable");
  const file = path.join(root, dataFiles(root)[0] ?? "");
  chmodSync(file, 0);
  const verified = await runWithoutPower("verify", root);
  expect({ exit: verified.exit, stderr: verified.stderr }).toMatchObject({ exit: 8 });
  expect(verified.stdout.toString()).toContain(path.basename(file));
  expect(await runWithoutPower("sync", root, "--rpm", "unlimited")).toMatchObject({ exit: 0 });
  chmodSync(file, 0o600);
  expect(await verify(root)).toMatchObject({ exit: 0 });
});

test("a directory of another user fails its assets: they are not requested again, and others are completed", async () => {
  const root = prepare("closed");
  const [file = "", other = ""] = pools.map((pool) => dataFiles(root).find((name) => name.includes(pool)));
  const day = path.dirname(path.join(root, file));
  const closed = [day, path.dirname(day), path.dirname(path.dirname(day))];
  const views = (): string => readFileSync(path.join(root, "views.sql"), "utf8");
  const viewsBefore = views();
  for (const [index, place] of closed.entries()) {
    const isOfAll = index === 2;
    // The directory of the day can also be listed, but not searched.
    for (const mode of index === 0 ? [0, 0o400] : [0]) {
      if (!isOfAll) rmSync(path.join(root, other));
      chmodSync(place, mode);
      const before = service?.requests.length;
      const outcome = await runWithoutPower("sync", root, "--rpm", "unlimited", "--error-format", "text");
      expect(outcome.stderr).toMatch(
        /^(?:error: transactions of \S*: \S*: permission denied\n)+(?: {2}hint: .*\n)?$/u,
      );
      expect(outcome.stderr).toContain(place);
      expect(outcome.exit).toBe(isOfAll ? 1 : 8);
      const requested = service?.requests.slice(before).map(({ url }) => url.includes(pools[0] ?? "?"));
      expect(new Set(requested)).toEqual(new Set(isOfAll ? [] : [false]));
      chmodSync(place, 0o700);
      expect([existsSync(path.join(root, other)), views()]).toEqual([true, viewsBefore]);
    }
  }
  expect(await verify(root)).toMatchObject({ exit: 0 });
});
