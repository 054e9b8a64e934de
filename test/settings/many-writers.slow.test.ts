import os from "node:os";
import path from "node:path";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfigFile } from "../../src/cli/settings/read-settings.ts";
import { readCredentials } from "../../src/cli/settings/credentials.ts";
import { acquireLock, holdLock } from "../../src/base/files/file-lock.ts";
import { lockOfGone, lockOfRunning } from "../harness/lock-token.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";
import { readAssetNames } from "../../src/cli/run/asset-names.ts";

const WRITERS = 20;
let bundle: string;

// Node 20 cannot run TypeScript, and the published program is a bundle too: conf must work inside one.
beforeAll(async () => {
  bundle = mkdtempSync(path.join(os.tmpdir(), "dexdata-writer-"));
  const input = fileURLToPath(new URL("writer.ts", import.meta.url));
  const build = await rolldown({ input, platform: "node", logLevel: "silent" });
  await build.write({
    dir: bundle,
    format: "cjs",
    entryFileNames: "writer.cjs",
    chunkFileNames: "[name].cjs",
  });
  await build.close();
});

afterAll(() => rmSync(bundle, { recursive: true, force: true }));

async function startWriter(context: TestContext, index: number): Promise<ChildProcess> {
  const child = fork(path.join(bundle, "writer.cjs"), [String(index)], {
    env: { HOME: context.home },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  await once(child, "message");
  return child;
}

/** The exit code and stderr. */
async function finish(child: ChildProcess): Promise<readonly [unknown, string]> {
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const [code]: unknown[] = await once(child, "close");
  return [code, errors];
}

function leaveLocks(context: TestContext): void {
  const folder = path.join(context.home, ".config", "dexdata");
  mkdirSync(folder, { recursive: true });
  for (const name of ["config.json.lock", "credentials.json.lock", "credentials.json.lock.break"]) {
    writeFileSync(path.join(folder, name), lockOfGone());
  }
}

test.each([
  ["in an empty home directory", () => {}],
  ["with locks left by killed processes", leaveLocks],
])(
  `${WRITERS} concurrent writers lose nothing, %s`,
  async (_where, prepare) => {
    const context = createTestContext();
    prepare(context);
    const writers = await Promise.all(
      Array.from({ length: WRITERS }, (_, index) => startWriter(context, index)),
    );
    const ends = writers.map(finish);
    for (const writer of writers) writer.send("go");

    // Readers take no lock: each file must be complete at any time.
    const over = new AbortController();
    const looking = (async () => {
      while (!over.signal.aborted) {
        expect(readConfigFile(context).problem).toBeUndefined();
        expect(readCredentials(context).problem).toBeUndefined();
        expect(() => readAssetNames(context, "one")).not.toThrow();
        await new Promise(setImmediate);
      }
    })();
    expect(await Promise.all(ends)).toEqual(Array.from({ length: WRITERS }, () => [0, ""]));
    over.abort();
    await looking;

    const { profiles, remembered, exposure } = readCredentials(context);
    const names = Array.from({ length: WRITERS }, (_, index) => `p${index}`);
    expect([...profiles.keys()].toSorted()).toEqual(names.toSorted());
    expect([...profiles.values()].map(({ key }) => key).toSorted()).toEqual(
      names.map((name) => `api_dev_writer_${name.slice(1)}`).toSorted(),
    );
    expect([remembered.size, exposure]).toEqual([WRITERS, undefined]);
    expect(readConfigFile(context).values.size).toBe(10);
    const folder = path.join(context.home, ".config", "dexdata");
    for (const service of ["one", "other"]) expect(readAssetNames(context, service).size).toBe(WRITERS);
    expect(readdirSync(folder).toSorted()).toEqual(["config.json", "credentials.json", "names.json"]);
    expect(statSync(path.join(folder, "config.json")).mode & 0o777).toBe(0o600);
  },
  90_000,
);

test("the file is replaced by a rename even with SNAP set, for which conf writes in place", async () => {
  const context = createTestContext();
  const before = process.env["SNAP"];
  process.env["SNAP"] = "/snap/x";
  try {
    const { saveProfile } = await import("../../src/cli/settings/edit-credentials.ts");
    await saveProfile(context, "a", { key: "api_dev_aaaa", tier: "dev" });
    const file = readCredentials(context).path;
    const first = statSync(file).ino;
    await saveProfile(context, "b", { key: "api_dev_bbbb", tier: "dev" });
    expect(statSync(file).ino).not.toBe(first);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  } finally {
    if (before === undefined) delete process.env["SNAP"];
    else process.env["SNAP"] = before;
  }
});

test("a lock with a live holder is taken over only after watching it for two seconds", async () => {
  const context = createTestContext({ random: 0.99 });
  const file = path.join(context.home, "x.lock");
  writeFileSync(file, lockOfRunning());
  // A timestamp of another machine's clock proves nothing.
  utimesSync(file, 0, 0);
  const lock = await acquireLock(context, file);
  expect(context.clock.elapsed()).toBeGreaterThanOrEqual(2000);
  expect(context.clock.elapsed()).toBeLessThan(2200);
  expect(lock.isHeld()).toBe(true);
});

test.each([
  ["empty", ""],
  ["of a live process", lockOfRunning()],
])("an abandoned guard of a removal, %s, locks no process out", async (_what, left) => {
  const context = createTestContext({ random: 0.99 });
  const file = path.join(context.home, "x.lock");
  writeFileSync(file, lockOfGone());
  writeFileSync(`${file}.break`, left);
  const lock = await acquireLock(context, file);
  expect([lock.isHeld(), readdirSync(context.home)]).toEqual([true, ["x.lock"]]);
  lock.release();
  writeFileSync(file, lockOfGone());
  writeFileSync(`${file}.break`, left);
  const held = await holdLock(context, file);
  expect(["isHeld" in held && held.isHeld(), readdirSync(context.home)]).toEqual([true, ["x.lock"]]);
});

test("an empty lock, as a crash may leave one, is abandoned after two seconds", async () => {
  const context = createTestContext();
  const file = path.join(context.home, "x.lock");
  writeFileSync(file, "");
  const held = await holdLock(context, file);
  expect("isHeld" in held && held.isHeld()).toBe(true);
  expect(context.clock.elapsed()).toBeGreaterThanOrEqual(2000);
});

test("a lock that was taken over is known to be lost, and its former holder does not remove it", async () => {
  const context = createTestContext({ random: 0.99 });
  const file = path.join(context.home, "x.lock");
  const slow = await acquireLock(context, file);
  const next = await acquireLock(context, file);
  expect([slow.isHeld(), next.isHeld()]).toEqual([false, true]);
  slow.release();
  expect([existsSync(file), next.isHeld()]).toEqual([true, true]);
  next.release();
  expect(existsSync(file)).toBe(false);
});

test("waiting for a lock ends with the run", async () => {
  const context = createTestContext();
  const file = path.join(context.home, "x.lock");
  writeFileSync(file, lockOfRunning());
  const waiting = acquireLock(context, file);
  context.interrupt({ cause: "SIGINT" });
  await expect(waiting).rejects.toEqual({ cause: "SIGINT" });
});
