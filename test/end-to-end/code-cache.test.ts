import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Ended, ended, start } from "../harness/binary.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const words = ["explain", "404"];

let cache = "";
let uncached: Ended;
beforeAll(async () => {
  uncached = await ended(start(words));
});
beforeEach(() => {
  cache = path.join(temporaryFolder(), "cache");
});

/** A run as people have it, with the folder of this test. */
async function run(env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return await ended(start(words, { NODE_DISABLE_COMPILE_CACHE: "", DEXDATA_CACHE_DIR: cache, ...env }));
}

const entries = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
};

/** The folders of compiled code in it. */
const codeFolders = (): readonly string[] => entries(cache).filter((name) => name.startsWith("code-"));

async function keptCode(): Promise<string> {
  await run();
  return path.join(cache, codeFolders()[0] ?? "nothing was kept");
}

/** Every kept file with what tells that it was replaced. */
const filesIn = (folder: string): Readonly<Record<string, number>> =>
  Object.fromEntries(entries(folder).map((name) => [name, statSync(path.join(folder, name)).ino]));

// Node makes folders under /proc for ever, where it is asked for those above them as well.
test.skipIf(process.platform !== "linux")(
  "where no folder can be made, a run ends, and is as without it",
  async () => {
    expect(await run({ DEXDATA_CACHE_DIR: "/proc/none/of/these" })).toEqual(uncached);
  },
);

// From 22.1 on Node keeps it itself.
describe.runIf(Number(process.versions.node.split(".")[0]) < 22)("the compiled code that is kept", () => {
  test("a second run uses it and says the same", async () => {
    const compiled = await run();
    const [folder = ""] = codeFolders();
    const kept = filesIn(path.join(cache, folder));
    const cached = await run();
    expect(cached).toEqual(compiled);
    expect(compiled).toEqual(uncached);
    expect(filesIn(path.join(cache, folder))).toEqual(kept);
    expect(Object.keys(kept).some((name) => name.startsWith("main-"))).toBe(true);
  });

  test("it is one's own alone", async () => {
    const folder = await keptCode();
    const modes = [folder, ...entries(folder).map((name) => path.join(folder, name))].map(
      (file) => statSync(file).mode & 0o777,
    );
    expect(modes[0]).toBe(0o700);
    expect(new Set(modes.slice(1))).toEqual(new Set([0o600]));
  });

  test.each([
    ["cut off", (file: string) => truncateSync(file, 500)],
    ["empty", (file: string) => truncateSync(file, 0)],
    ["of some other content", (file: string) => writeFileSync(file, Buffer.alloc(4000, "x"))],
    ["without one of its blocks", (file: string) => eraseBlock(file)],
  ])("a file %s is replaced, and the run is as without it", async (_, spoil) => {
    const folder = await keptCode();
    const before = filesIn(folder);
    const spoiled = Object.keys(before).find((name) => name.startsWith("words-")) ?? "";
    spoil(path.join(folder, spoiled));
    expect(await run()).toEqual(uncached);
    const changed = Object.entries(filesIn(folder)).filter(([name, ino]) => before[name] !== ino);
    expect(changed.map(([name]) => name)).toEqual([spoiled]);
  });

  test("nobody reads or writes a folder into which others may write", async () => {
    const folder = await keptCode();
    for (const name of entries(folder)) writeFileSync(path.join(folder, name), "planted");
    chmodSync(folder, 0o777);
    expect(await run()).toEqual(uncached);
    expect(new Set(entries(folder).map((name) => readFileSync(path.join(folder, name), "utf8")))).toEqual(
      new Set(["planted"]),
    );
  });

  test.each([
    ["NODE_DISABLE_COMPILE_CACHE", () => ({ NODE_DISABLE_COMPILE_CACHE: "1" })],
    ["NODE_V8_COVERAGE", () => ({ NODE_V8_COVERAGE: `${cache}-coverage` })],
  ])("with %s nothing is kept", async (_, env) => {
    expect(await run(env())).toEqual(uncached);
    expect(codeFolders()).toEqual([]);
  });

  test("a cache folder that cannot be made is no failure", async () => {
    writeFileSync(cache, "a file");
    expect(await run()).toEqual(uncached);
  });

  test("four first runs at once keep whole files and leave nothing else", async () => {
    const runs = await Promise.all([run(), run(), run(), run()]);
    const [folder = ""] = codeFolders();
    const kept = filesIn(path.join(cache, folder));
    for (const each of runs) expect(each).toEqual(uncached);
    expect(Object.keys(kept).filter((name) => !name.endsWith(".cjs"))).toEqual([]);
    await run();
    expect(filesIn(path.join(cache, folder))).toEqual(kept);
  });

  test("it makes room for a new build: earlier ones of the same place go, and what is a month old", async () => {
    const folder = await keptCode();
    const earlier = folder.replace(/[^-]+$/u, "1");
    renameSync(folder, earlier);
    const [elsewhere, abandoned] = ["code-elsewhere-1.0.0-1", "code-abandoned-1.0.0-1"];
    for (const name of [elsewhere, abandoned]) mkdirSync(path.join(cache, name));
    utimesSync(path.join(cache, abandoned), 0, 0);
    await run();
    expect(codeFolders()).toEqual([path.basename(folder), elsewhere].toSorted());
  });
});

/** As after a loss of power: the length is right, and one block was never written. */
function eraseBlock(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0, 4096, 8192);
  writeFileSync(file, bytes);
}
