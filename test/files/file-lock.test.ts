import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { hostname } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileURLToPath } from "node:url";
import { acquireLock, checkHeld, type FileLock, holdLock } from "../../src/base/files/file-lock.ts";
import { bundle } from "../harness/bundle.ts";
import { freeProcessId, lockOfGone, lockOfRunning, lockText } from "../harness/lock-token.ts";
import { rowsOf } from "../harness/rows.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";
import { failureOf } from "../harness/failure-of.ts";

const onLinux = describe.runIf(process.platform === "linux");

/** A lock of another process, written this many seconds ago. */
function leaveLock(context: TestContext, text: string, secondsAgo = 0): string {
  const file = path.join(context.home, "x.lock");
  writeFileSync(file, text);
  const written = statSync(file).mtimeMs / 1000 - secondsAgo;
  utimesSync(file, written, written);
  return file;
}

const isLock = (taken: FileLock | { readonly holder: string }): taken is FileLock => "release" in taken;

const boot = "another-boot";
const elsewhere = { namespace: "pid:[1]", pid: 1 };
const onOtherHost = { host: "other.example", pid: 12 };
const years = 20 * 365 * 86_400;

onLinux("a lock for a run", () => {
  test.each([
    ["of a killed process", () => lockOfGone(), 0],
    ["of a process whose ID another process has now", () => lockText({ pid: process.ppid, started: "1" }), 0],
    ["with the current process ID, from before a reboot", () => lockText({ boot }), years],
    ["of another process, from before a reboot", () => lockText({ boot, pid: process.ppid }), years],
  ])("%s is taken at once", async (_whose, text, secondsAgo) => {
    const context = createTestContext();
    const file = leaveLock(context, text(), secondsAgo);
    const taken = await holdLock(context, file);
    expect(isLock(taken) && taken.isHeld()).toBe(true);
    expect(context.clock.elapsed()).toBeLessThan(100);
    expect(readdirSync(context.home)).toEqual(["x.lock"]);
  });

  test("of a zombie, which a container may never collect, is taken at once", async () => {
    const parent = spawn("sh", ["-c", "sh -c 'echo $$' & exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [line]: unknown[] = await once(parent.stdout, "data");
    const id = Number(String(line));
    const fields = (): readonly string[] =>
      readFileSync(`/proc/${id}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
    while (fields()[0] !== "Z") await new Promise(setImmediate);
    const context = createTestContext();
    const file = leaveLock(context, lockText({ pid: id, started: fields()[19] }));
    expect(isLock(await holdLock(context, file))).toBe(true);
    expect(context.clock.elapsed()).toBeLessThan(100);
    parent.kill("SIGKILL");
    await once(parent, "close");
  });

  test.each([
    ["a running process", () => lockOfRunning(), 0, `process ${process.ppid}`],
    [
      "a running process that was suspended for hours",
      () => lockOfRunning(),
      36_000,
      `process ${process.ppid}`,
    ],
    ["another container", () => lockText(elsewhere), 0, "process 1 in another container"],
    [
      "another container without recent refreshes",
      () => lockText(elsewhere),
      59,
      "process 1 in another container",
    ],
    ["another host", () => lockText(onOtherHost), 59, "process 12 on host other.example"],
    [
      "a host of the same name",
      () => lockText({ boot, host: hostname() }),
      0,
      `process ${process.pid} on host ${hostname()}`,
    ],
    ["a process that cannot be told", () => '{"host":"x', 59, "another process"],
    ["a process without a start", () => lockText({ started: undefined }), 0, `process ${process.pid}`],
  ])("of %s is rejected without a wait", async (_whose, made, secondsAgo, holder) => {
    const context = createTestContext();
    const text = made();
    const file = leaveLock(context, text, secondsAgo);
    expect(await holdLock(context, file)).toEqual({ holder });
    expect([context.clock.elapsed(), readFileSync(file, "utf8")]).toEqual([0, text]);
    expect(readdirSync(context.home)).toEqual(["x.lock"]);
  });

  test.each([
    ["another container", () => lockText(elsewhere)],
    ["another host", () => lockText(onOtherHost)],
    ["a host of the same name", () => lockText({ boot, pid: freeProcessId })],
    ["a process that cannot be told", () => '{"host":"x'],
  ])(
    "of %s is taken 60 s after its last refresh, after watching it for longer than one refresh interval",
    async (_, text) => {
      const context = createTestContext({ random: 0.99 });
      const file = leaveLock(context, text(), 60);
      let watches = 0;
      const taken = await holdLock(context, file, () => {
        watches += 1;
      });
      expect(watches).toBe(1);
      expect(isLock(taken) && taken.isHeld()).toBe(true);
      expect(context.clock.elapsed()).toBeGreaterThanOrEqual(12_000);
      expect(context.clock.elapsed()).toBeLessThan(12_100);
    },
  );

  // The machine slept, or the clock was set forward: the holder is alive, and its lock looks old.
  test.each([1, 5_000, 9_990])("that looks old and is refreshed after %i ms is rejected", async (wait) => {
    const context = createTestContext({ random: 0.99 });
    const text = lockText(elsewhere);
    const file = leaveLock(context, text, 3600);
    void context.clock.sleep(wait).then(() => writeFileSync(file, text));
    expect(await holdLock(context, file)).toEqual({ holder: "process 1 in another container" });
  });

  test("is rewritten every 10 s, with the same name and ID, and not after its release", async () => {
    const context = createTestContext();
    const file = path.join(context.home, "x.lock");
    const taken = await holdLock(context, file);
    if (!isLock(taken)) throw new Error("the lock is free");
    const seen = [rowsOf(readFileSync(file, "utf8"))[0]];
    const [first] = [statSync(file).ino];
    for (let round = 0; round < 3; round += 1) {
      context.clock.advance(10_000);
      seen.push(rowsOf(readFileSync(file, "utf8"))[0]);
    }
    expect(seen.map((token) => token?.["at"])).toEqual([
      "2026-11-21T08:54:00.000Z",
      "2026-11-21T08:54:10.000Z",
      "2026-11-21T08:54:20.000Z",
      "2026-11-21T08:54:30.000Z",
    ]);
    expect(new Set(seen.map((token) => token?.["id"])).size).toBe(1);
    expect([statSync(file).ino, taken.isHeld()]).toEqual([first, true]);
    taken.release();
    context.clock.advance(60_000);
    expect(readdirSync(context.home)).toEqual([]);
  });

  test("taken by another process is neither refreshed nor removed, and is known to be lost", async () => {
    const context = createTestContext();
    const file = path.join(context.home, "x.lock");
    const taken = await holdLock(context, file);
    if (!isLock(taken)) throw new Error("the lock is free");
    rmSync(file);
    const other = lockText(elsewhere);
    writeFileSync(file, other);
    context.clock.advance(30_000);
    expect([readFileSync(file, "utf8"), taken.isHeld()]).toEqual([other, false]);
    expect(await failureOf(() => checkHeld(taken))).toEqual({
      exit: 1,
      message: `${file} was removed or taken over by another process during the run`,
      next: undefined,
    });
    taken.release();
    expect(readFileSync(file, "utf8")).toBe(other);
    rmSync(context.home, { recursive: true });
    expect(await failureOf(() => checkHeld(taken))).toMatchObject({
      message: `the directory ${context.home} was moved or deleted during the run`,
    });
  });

  test("of one run is rejected in another run of this process", async () => {
    const context = createTestContext();
    const file = path.join(context.home, "x.lock");
    const taken = await holdLock(context, file);
    expect(await holdLock(context, file)).toEqual({ holder: `process ${process.pid}` });
    if (isLock(taken)) taken.release();
    expect(isLock(await holdLock(context, file))).toBe(true);
  });
});

describe("a file of another program with the name of a lock", () => {
  test.each(["[[package]]\n", "12 1", '{"hosts":[]}', "\n"])("stays, however old: %j", async (text) => {
    for (const take of [acquireLock, holdLock]) {
      for (const name of ["x.lock", "x.lock.break"]) {
        const context = createTestContext();
        const file = leaveLock(context, lockOfGone(), 3600);
        const foreign = path.join(context.home, name);
        writeFileSync(foreign, text);
        utimesSync(foreign, 0, 0);
        expect(await failureOf(async () => await take(context, file))).toEqual({
          exit: 2,
          message: `${foreign} already exists, and dexdata did not create it`,
          next: "move it, or name another file",
        });
        expect([context.clock.elapsed(), readFileSync(foreign, "utf8")]).toEqual([0, text]);
      }
    }
  });
});

test("releasing a lock in a directory that can no longer be searched does not throw", async () => {
  const context = createTestContext();
  const inner = path.join(context.home, "inner");
  mkdirSync(inner);
  const locks = [
    await holdLock(context, path.join(inner, "held.lock")),
    await acquireLock(context, path.join(inner, "acquired.lock")),
  ];
  // Root can search every directory, so the path fails for another reason.
  renameSync(inner, `${inner}.moved`);
  writeFileSync(inner, "");
  for (const lock of locks) if (isLock(lock)) lock.release();
  expect(locks.every(isLock)).toBe(true);
});

onLinux("a lock for one change", () => {
  test("of a killed process is taken at once", async () => {
    const context = createTestContext();
    const lock = await acquireLock(context, leaveLock(context, lockOfGone()));
    expect([lock.isHeld(), context.clock.elapsed() < 100]).toEqual([true, true]);
  });

  // Regression: the same process ID in two containers made one lock of both.
  test.each([
    ["another container, in which this process ID is not in use", { ...elsewhere, pid: freeProcessId }],
    ["another container, with this process ID", { ...elsewhere, pid: process.pid }],
    ["another host", onOtherHost],
  ])("of %s is not taken before two seconds without a change", async (_whose, token) => {
    const context = createTestContext({ random: 0.99 });
    const file = leaveLock(context, lockText(token));
    const lock = await acquireLock(context, file);
    expect(context.clock.elapsed()).toBeGreaterThanOrEqual(2000);
    expect(context.clock.elapsed()).toBeLessThan(2200);
    expect(lock.isHeld()).toBe(true);
  });

  test("that its holder takes repeatedly causes a clear error within ten seconds", async () => {
    const context = createTestContext({ random: 0.99 });
    const file = leaveLock(context, lockText(elsewhere));
    let count = 0;
    const stop = context.clock.every(1000, () => {
      count += 1;
      const next = path.join(context.home, "next");
      writeFileSync(next, lockText({ ...elsewhere, id: String(count) }));
      renameSync(next, file);
    });
    expect(await failureOf(() => acquireLock(context, file))).toEqual({
      exit: 2,
      message: `${file} is in use by another process`,
      next: `try again; if no other dexdata is running, delete ${file}`,
    });
    expect(context.clock.elapsed()).toBeLessThan(10_100);
    stop();
  });
});

onLinux("a file that is not a regular file causes an immediate error and stays unchanged", () => {
  const kinds: Readonly<Record<string, (file: string) => unknown>> = {
    "a named pipe": (file) => execFileSync("mkfifo", [file]),
    "a directory": (file) => mkdirSync(file),
    "a link to a file": (file) => {
      writeFileSync(`${file}.target`, "precious");
      symlinkSync(`${file}.target`, file);
    },
    "a link to nothing": (file) => symlinkSync("/nowhere/at/all", file),
    "a link to a device": (file) => symlinkSync("/dev/zero", file),
    "a socket": async (file) => {
      const server = createServer();
      afterAll(() => server.close());
      await new Promise<void>((resolve) => server.listen(file, resolve));
    },
  };

  for (const [what, make] of Object.entries(kinds)) {
    test.each(["acquireLock", "holdLock"] as const)(`${what} in place of a lock: %s`, async (name) => {
      const take = { acquireLock, holdLock }[name];
      const context = createTestContext();
      const file = path.join(context.home, "x.lock");
      await make(file);
      const before = readdirSync(context.home);
      expect(await failureOf(async () => await take(context, file))).toEqual({
        exit: 2,
        message: `${file} is not a regular file`,
        next: "move it out of the way",
      });
      expect([context.clock.elapsed(), readdirSync(context.home)]).toEqual([0, before]);
      if (before.includes("x.lock.target")) expect(readFileSync(`${file}.target`, "utf8")).toBe("precious");
    });

    test(`${what} in place of the guard of a removal`, async () => {
      const context = createTestContext();
      const file = leaveLock(context, lockOfGone());
      await make(`${file}.break`);
      expect(await failureOf(async () => await holdLock(context, file))).toEqual({
        exit: 2,
        message: `${file}.break is not a regular file`,
        next: "move it out of the way",
      });
    });
  }
});

onLinux("a process", () => {
  let folder: string;
  let holder: string;
  beforeAll(async () => {
    folder = createTestContext().home;
    holder = path.join(folder, "holder.cjs");
    await bundle(fileURLToPath(new URL("holder.ts", import.meta.url)), holder);
  });

  test("that holds a lock ends when it has no other work, and its lock is free at once", async () => {
    const file = path.join(folder, "x.lock");
    const child = spawn(process.execPath, [holder, file], { stdio: ["ignore", "pipe", "inherit"] });
    const [said]: unknown[] = await once(child.stdout, "data");
    const [code]: unknown[] = await once(child, "close");
    expect([String(said), code, existsSync(file)]).toEqual(["held\n", 0, true]);
    const context = createTestContext();
    expect(isLock(await holdLock(context, file))).toBe(true);
    expect(context.clock.elapsed()).toBeLessThan(100);
  });
});
