import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const ship = path.resolve("examples/ship.mjs");
const root = temporaryFolder();

/** Stores a batch by one rename, refuses `"bad"`, and fails before or after it stored the lines if it is told to. */
const sink = `set -e
cat > "$1/in.$$"
sleep 0.05
if grep -q '"bad"' "$1/in.$$"; then rm "$1/in.$$"; exit 65; fi
[ ! -e "$1/down-before" ] || exit 1
mv "$1/in.$$" "$1/stored/$$.$(date +%s%N)"
[ ! -e "$1/down-after" ] || exit 1
`;

const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** A growing file, the shipper of it, and the engine behind the shipper. */
function openYard() {
  const folder = mkdtempSync(path.join(root, "yard-"));
  const [logs, store] = [path.join(folder, "logs"), path.join(folder, "store")];
  mkdirSync(logs);
  mkdirSync(path.join(store, "stored"), { recursive: true });
  writeFileSync(path.join(folder, "sink.sh"), sink);
  const [file, state] = [path.join(logs, "swaps.ndjson"), path.join(folder, "swaps.ship")];
  const words = [state, `${file}*`, "sh", path.join(folder, "sink.sh"), store];
  const [good, bad]: [string[], string[]] = [[], []];
  const lines = (name: string): readonly string[] =>
    existsSync(name) ? readFileSync(name, "utf8").split("\n").slice(0, -1) : [];
  return {
    file,
    logs,
    state,
    store,
    good,
    bad,
    /** With a limit of the size of files in KiB, the nearest a test can get to a full disk. */
    start: (limit?: number, flags: readonly string[] = []): ChildProcess => {
      const prefix = limit === undefined ? "" : `ulimit -f ${limit};`;
      const child = spawn(
        "bash",
        ["-c", `${prefix} exec "$@"`, "bash", process.execPath, ship, ...flags, ...words],
        {
          stdio: "ignore",
        },
      );
      children.add(child);
      child.once("close", () => children.delete(child));
      return child;
    },
    once: () =>
      // A signal that it can handle would end it in order.
      spawnSync(process.execPath, [ship, "--once", ...words], {
        encoding: "utf8",
        timeout: 600_000,
        killSignal: "SIGKILL",
      }),
    line: (isBad = false): string => {
      const all = isBad ? bad : good;
      const line = JSON.stringify({
        id: `${isBad ? "b" : "g"}${all.length}`,
        ...(isBad && { bad: true }),
        text: "ö\t\u2028".repeat(all.length % 40),
      });
      all.push(line);
      return line;
    },
    stored: (): readonly string[] =>
      readdirSync(path.join(store, "stored")).flatMap((name) => {
        const text = readFileSync(path.join(store, "stored", name), "utf8");
        return text.endsWith("\n") ? text.split("\n").slice(0, -1) : ["half a line"];
      }),
    refused: () => lines(`${state}.refused`),
  };
}

type Yard = ReturnType<typeof openYard>;

async function killed(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.kill(signal);
  await closed;
}

const kinds = ["kill", "disk", "truncate", "rotate", "half", "refuse", "down", "replace"] as const;

async function strike(kind: (typeof kinds)[number], yard: Yard, child: ChildProcess, random: () => number) {
  const { file, logs, store } = yard;
  const pause = async (milliseconds: number): Promise<void> => await wait(random() * milliseconds);
  switch (kind) {
    case "kill":
      await pause(600);
      await killed(child, "SIGKILL");
      return yard.start();
    case "disk": {
      await killed(child, random() < 0.5 ? "SIGKILL" : "SIGTERM");
      const full = yard.start(Math.floor(random() * 4));
      await pause(800);
      await killed(full, "SIGKILL");
      return yard.start();
    }
    case "truncate": {
      // As after a crash: what was not on disk is lost, and the collector writes it again.
      const whole = readFileSync(file);
      truncateSync(file, Math.floor(whole.length * random()));
      await pause(300);
      const kept = statSync(file).size;
      appendFileSync(file, whole.subarray(kept));
      return child;
    }
    case "rotate":
      renameSync(file, `${file}.${readdirSync(logs).length}`);
      await pause(200);
      writeFileSync(file, "");
      return child;
    case "half": {
      const line = Buffer.from(`${yard.line()}\n`);
      const at = Math.floor(random() * line.length);
      appendFileSync(file, line.subarray(0, at));
      await pause(500);
      appendFileSync(file, line.subarray(at));
      return child;
    }
    case "refuse":
      appendFileSync(file, `${yard.line(true)}\n`);
      return child;
    case "down": {
      const mark = path.join(store, random() < 0.5 ? "down-before" : "down-after");
      writeFileSync(mark, "");
      await pause(800);
      rmSync(mark);
      return child;
    }
    case "replace":
      // A new file often gets the inode of a removed one.
      await killed(child, "SIGTERM");
      expect(yard.once()).toMatchObject({ status: 0 });
      for (const name of readdirSync(logs)) rmSync(path.join(logs, name));
      writeFileSync(file, "");
      return yard.start();
  }
}

describe("ship.mjs", () => {
  test("loses no line and ships no half line under random faults", { timeout: 3_600_000 }, async () => {
    const random = createRandom(20_261_124);
    const yard = openYard();
    writeFileSync(yard.file, "");
    let child = yard.start();
    for (let turn = 0; turn < (isLong ? 100 : 10); turn += 1) {
      for (let count = Math.floor(random() * 60); count > 0; count -= 1)
        appendFileSync(yard.file, `${yard.line()}\n`);
      // Each kind first, then any.
      const kind = kinds[turn] ?? kinds[Math.floor(random() * kinds.length)] ?? "kill";
      child = await strike(kind, yard, child, random);
    }
    for (let count = 0; count < 20; count += 1) appendFileSync(yard.file, `${yard.line()}\n`);
    await killed(child, "SIGTERM");
    expect(yard.once()).toMatchObject({ status: 0 });
    const stored = yard.stored();
    expect(yard.good.filter((line) => !stored.includes(line))).toEqual([]);
    expect(stored.filter((line) => !yard.good.includes(line))).toEqual([]);
    expect(new Set(yard.refused())).toEqual(new Set(yard.bad));
    console.log(`${yard.good.length} lines, ${stored.length - yard.good.length} repeats`);
  });

  test("without kills and truncations, each line is shipped once and in order", async () => {
    const yard = openYard();
    writeFileSync(path.join(yard.store, "down-before"), "");
    for (let count = 0; count < 500; count += 1)
      appendFileSync(yard.file, `${yard.line(count % 100 === 50)}\n`);
    const down = yard.once();
    expect(down).toMatchObject({ status: 1 });
    expect(down.stderr).toContain("the command ended with 1; ");
    rmSync(path.join(yard.store, "down-before"));
    renameSync(yard.file, `${yard.file}.1`);
    for (const other of ["lock", "resume", "2.gz"]) writeFileSync(`${yard.file}.${other}`, "not a row\n");
    for (let count = 0; count < 100; count += 1) appendFileSync(yard.file, `${yard.line()}\n`);
    appendFileSync(yard.file, '{"id":"half');
    expect(yard.once()).toMatchObject({ status: 0, stderr: "" });
    expect(yard.stored().toSorted()).toEqual(yard.good.toSorted());
    expect(yard.refused()).toEqual(yard.bad);
    expect(yard.once()).toMatchObject({ status: 0 });
    expect(yard.stored()).toHaveLength(yard.good.length);
  });

  test("--once exits with 1 if it is stopped before all lines are delivered", async () => {
    const yard = openYard();
    for (let count = 0; count < 500; count += 1) appendFileSync(yard.file, `${yard.line(count % 5 === 0)}\n`);
    const child = yard.start(undefined, ["--once"]);
    await expect.poll(() => yard.refused().length, { timeout: 60_000 }).toBeGreaterThan(0);
    const [exit] = await Promise.all([
      new Promise((resolve) => child.once("close", resolve)),
      killed(child, "SIGTERM"),
    ]);
    expect(exit).toBe(1);
    expect(yard.refused().length).toBeLessThan(yard.bad.length);
  });

  test("a second process with the same state ends with 7, and wrong arguments with 2", async () => {
    const yard = openYard();
    appendFileSync(yard.file, `${yard.line()}\n`);
    const child = yard.start();
    await expect.poll(() => yard.stored().length, { timeout: 30_000 }).toBe(1);
    expect(yard.once()).toMatchObject({ status: 7, stderr: expect.stringContaining("is in use") });
    await killed(child, "SIGKILL");
    expect(yard.once()).toMatchObject({ status: 0 });
    expect(spawnSync(process.execPath, [ship, "state"]).status).toBe(2);
  });

  test("has at most 200 lines", () => {
    expect(readFileSync(ship, "utf8").split("\n").length - 1).toBeLessThanOrEqual(200);
  });
});
