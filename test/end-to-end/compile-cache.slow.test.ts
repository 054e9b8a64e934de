import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isPrivate } from "../../bin/compile-cache.ts";
import { binaryEnv, type Ended, ended, program } from "../harness/binary.ts";
import { nodes as allNodes, warnIfLeftOut } from "../harness/nodes.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const user = process.geteuid?.() ?? 0;

const nodes = allNodes.map(({ node, version, major, minor }) => ({
  node,
  version,
  hasCache: major > 22 || (major === 22 && minor >= 1),
}));
const newer = nodes.filter(({ hasCache }) => hasCache);
const older = nodes.filter(({ hasCache }) => !hasCache);

warnIfLeftOut(newer, "the compile cache of Node 22.1 and later", 22);
warnIfLeftOut(older, "the compile cache for Node before 22.1", 20);

let cache = "";
beforeEach(() => {
  cache = path.join(temporaryFolder(), "cache");
});

type Env = Readonly<Record<string, string>>;

const wordsOfRun = (node: string): readonly string[] => [node, program, "explain", "404"];

async function run(node: string, env: Env = {}): Promise<Ended> {
  return await start(wordsOfRun(node), env);
}

async function start([command = "", ...words]: readonly string[], env: Env = {}): Promise<Ended> {
  // Node turns its cache off for an empty variable too, so the harness's variable must be removed.
  const { NODE_DISABLE_COMPILE_CACHE: _, ...rest } = binaryEnv({ DEXDATA_CACHE_DIR: cache });
  return await ended(spawn(command, words, { env: { ...rest, ...env }, stdio: "pipe" }));
}

/** Every file below a directory, with its relative path. */
function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
      .toSorted();
  } catch {
    return [];
  }
}

const hasCode = (): boolean => filesIn(path.join(cache, "compiled")).length > 0;

/** Files and directories named like old caches of this program, all older than a month. */
function plant(directory: string): readonly string[] {
  const names = ["code-review.md", "code-elsewhere-1.0.0-1/notes.txt", "compiled.txt", "compiled/notes.txt"];
  for (const name of names) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, "planted");
    for (const each of [file, path.dirname(file)]) utimesSync(each, 0, 0);
  }
  return names.toSorted();
}

describe.each(nodes)("under Node $version", ({ node }) => {
  let uncached: Ended;
  beforeAll(async () => {
    uncached = await run(node, { NODE_DISABLE_COMPILE_CACHE: "1" });
  });

  test("first and second runs give the same results as a run without a cache", async () => {
    expect(await run(node)).toEqual(uncached);
    expect(await run(node)).toEqual(uncached);
    expect(uncached.exit).toBe(0);
    expect(hasCode()).toBe(true);
  });

  test("files of other programs in the cache directory survive", async () => {
    const planted = plant(cache);
    expect(await run(node)).toEqual(uncached);
    expect(await run(node)).toEqual(uncached);
    expect(filesIn(cache)).toEqual(expect.arrayContaining([...planted]));
  });

  test.each(["/proc/none/of/these", "/dev/null/cache"])(
    "the cache directory %s is not an error",
    async (place) => {
      expect(await run(node, { DEXDATA_CACHE_DIR: place })).toEqual(uncached);
    },
  );
});

describe.each(newer)("under Node $version, which has its own cache", ({ node }) => {
  test("a run reads the code cached by an earlier run", async () => {
    await run(node);
    const kept = filesIn(cache);
    const { stderr } = await run(node, { NODE_DEBUG_NATIVE: "COMPILE_CACHE" });
    expect(kept.length).toBeGreaterThan(3);
    expect(stderr).toMatch(/cache for .*main-.* was accepted/u);
    expect(filesIn(cache)).toEqual(kept);
  });
});

describe.each(older)("under Node $version, which has no cache for compiled code", ({ node }) => {
  const cached = (): readonly string[] => filesIn(cache).map((file) => path.join(cache, file));
  const written = (): readonly bigint[] => cached().map((file) => statSync(file, { bigint: true }).mtimeNs);

  test("a run reads the code cached by an earlier run", async () => {
    await run(node);
    const before = written();
    await run(node);
    expect(before.length).toBeGreaterThan(3);
    expect(written()).toEqual(before);
  });

  test.runIf(process.platform !== "win32")("a full disk leaves no unfinished files", async () => {
    const words = ["sh", "-c", `ulimit -f 0; exec "$0" "$@"`, ...wordsOfRun(node)];
    expect((await start(words)).exit).toBe(0);
    expect(cached()).toEqual([]);
  });

  test.runIf(process.platform === "linux")(
    "a directory that cannot be opened does not end a run",
    async () => {
      await run(node);
      const compiled = path.join(cache, "compiled");
      chmodSync(compiled, 0);
      // Root may open any directory unless it gives up its capabilities.
      const prefix = user === 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : [];
      const { exit, stderr } = await start([...prefix, ...wordsOfRun(node)]);
      chmodSync(compiled, 0o700);
      expect([exit, stderr]).toEqual([0, ""]);
    },
  );

  test("a run with other V8 flags caches its own code", async () => {
    await run(node);
    const before = written();
    await run(node, { DEXDATA_SANDBOX: "1" });
    await run(node);
    expect(written()).toHaveLength(2 * before.length);
    expect(written()).toEqual(expect.arrayContaining([...before]));
  });

  test.each([
    ["damaged", (code: Buffer) => code.fill(0xff, code.length / 2, code.length / 2 + 8)],
    ["truncated", (code: Buffer) => code.subarray(0, code.length / 2)],
    ["empty", (code: Buffer) => code.subarray(0, 0)],
    ["shorter than a checksum", (code: Buffer) => code.subarray(0, 3)],
  ])("%s code is compiled and cached again", async (_, damage) => {
    const uncached = await run(node);
    for (const file of cached()) writeFileSync(file, damage(readFileSync(file)));
    const damaged = written();
    expect(await run(node)).toEqual(uncached);
    const repaired = written();
    expect(repaired.filter((time) => damaged.includes(time))).toEqual([]);
    expect(await run(node)).toEqual(uncached);
    expect(written()).toEqual(repaired);
  });
});

describe.each(nodes)("under Node $version, the cache", ({ node }) => {
  test.each([
    ["NODE_DISABLE_COMPILE_CACHE", () => ({ NODE_DISABLE_COMPILE_CACHE: "1" })],
    ["NODE_V8_COVERAGE", () => ({ NODE_V8_COVERAGE: `${cache}-coverage` })],
  ])("is turned off by %s", async (_, env) => {
    expect((await run(node, env())).exit).toBe(0);
    expect(filesIn(cache)).toEqual([]);
  });

  test.each(sharedPlaces())("is not used in %s", async (_, share) => {
    mkdirSync(path.join(cache, "compiled"), { recursive: true, mode: 0o700 });
    share(cache);
    expect((await run(node)).exit).toBe(0);
    expect(hasCode()).toBe(false);
  });
});

/** Ways in which another user can write to a cache directory. */
function sharedPlaces(): readonly (readonly [string, (place: string) => void])[] {
  const all: readonly (readonly [string, (place: string) => void])[] = [
    ["a directory that others can write to", (place) => chmodSync(path.join(place, "compiled"), 0o777)],
    ["a directory that its group can write to", (place) => chmodSync(path.join(place, "compiled"), 0o770)],
    ["a directory that others can read", (place) => chmodSync(path.join(place, "compiled"), 0o755)],
    ["a directory whose parent others can write to", (place) => chmodSync(place, 0o777)],
    ["a directory whose parent its group can write to", (place) => chmodSync(place, 0o775)],
    ["a directory whose grandparent others can write to", (place) => chmodSync(path.dirname(place), 0o777)],
  ];
  return user === 0 ? [...all, ...othersPlaces] : all;
}

/** Only root can give a directory to another user. */
const othersPlaces: readonly (readonly [string, (place: string) => void])[] = [
  ["a directory of another user", (place) => chownSync(path.join(place, "compiled"), 12345, 12345)],
  ["a directory whose parent belongs to another user", (place) => chownSync(place, 12345, 12345)],
  [
    "a sticky directory of another user",
    (place) => {
      chownSync(place, 12345, 12345);
      chmodSync(place, 0o1777);
    },
  ],
];

describe("a private directory", () => {
  /** `/tmp/…/a/b`, each 0700. */
  function nested(): { readonly a: string; readonly b: string } {
    const a = path.join(temporaryFolder(), "a");
    const b = path.join(a, "b");
    mkdirSync(b, { recursive: true, mode: 0o700 });
    return { a, b };
  }

  test("is any directory owned by its user below the sticky /tmp", () => {
    expect(isPrivate(nested().b, user)).toBe(true);
  });

  test.each(sharedPlaces())("is not %s", (_, share) => {
    const { a } = nested();
    mkdirSync(path.join(a, "compiled"), { mode: 0o700 });
    share(a);
    expect(isPrivate(path.join(a, "compiled"), user)).toBe(false);
  });

  test.runIf(user === 0)("includes a directory owned by its user in a sticky directory of root", () => {
    const { a, b } = nested();
    chmodSync(a, 0o1777);
    expect(isPrivate(b, user)).toBe(true);
  });

  test("is not a file or a symbolic link", () => {
    const { a, b } = nested();
    writeFileSync(path.join(a, "file"), "", { mode: 0o600 });
    symlinkSync(b, path.join(a, "link"));
    expect(isPrivate(path.join(a, "file"), user)).toBe(false);
    expect(isPrivate(path.join(a, "link"), user)).toBe(false);
  });

  test("is not a directory of another user", () => {
    expect(isPrivate(nested().b, user + 1)).toBe(false);
  });
});
