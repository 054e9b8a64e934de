import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { binaryEnv, ended, program, start } from "../harness/binary.ts";
import { inTime } from "../harness/in-time.ts";
import { isLong } from "../harness/long.ts";
import { longPull } from "../harness/long-pull.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { countMarketRows, marketRows, pool, writtenRows } from "../tail/following.ts";

const follow = ["txns", "ethereum", pool, "--follow", "-o", "ndjson"];
const day = 86_400_000;
const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY });
const daysAgo = (days: number): string => String((sandboxNow - days * day) / 1000);

describe("a signal ends a follow that waits for its stream", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s: exit %i within a second, after complete lines", async (signal, expected) => {
    const child = start([...follow, "--from", "-30m", "--sandbox"]);
    const rows = await new Promise<Buffer>((resolve) => child.stdout.once("data", resolve));
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill(signal);
    const { exit, stdout } = await inTime(1000, ended(child));
    expect(exit).toBe(expected);
    expect(Buffer.concat([rows, stdout]).toString("utf8")).toMatch(/^(?:\{[^\n]*\}\n)+$/u);
  });
});

/**
 * A follow whose reader does not read, from the time the first row is available. There are more rows than all
 * buffers hold.
 */
async function startUnread(words: readonly string[]) {
  const child = start([...follow, "--from", daysAgo(60), "--rpm", "unlimited", ...words], sandbox.env());
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  const hasRows = await Promise.race([
    // `readable` is also emitted at an end without rows.
    new Promise((resolve) => child.stdout.once("readable", () => resolve(child.stdout.readableLength > 0))),
    exited.then(() => false),
  ]);
  return { child, exited, hasRows, stderr: () => stderr };
}

describe("follow ends although its reader does not read", () => {
  test("by SIGTERM", async () => {
    const { child, exited, stderr } = await startUnread([]);
    child.kill("SIGTERM");
    expect(await inTime(1500, exited)).toBe(143);
    expect(stderr()).toMatch(/rows may be missing at the end/u);
    child.stdout.destroy();
  }, 60_000);

  test("by --for", async () => {
    const runFor = async (seconds: number): Promise<void> => {
      const { child, exited, hasRows, stderr } = await startUnread(["--for", `${seconds}s`]);
      // A very busy machine may have written no rows by then; the test proves nothing in that case.
      if (hasRows === false && seconds < 30) return await runFor(2 * seconds);
      expect(await inTime((seconds + 1.5) * 1000, exited)).toBe(8);
      expect(stderr()).toMatch(/rows may be missing at the end/u);
      child.stdout.destroy();
    };
    await runFor(2);
  }, 120_000);

  test("when stderr is not read", async () => {
    // Each request prints a line with its headers there: more than a pipe holds.
    const words = "--page-size 1 --limit 300 -vv --rpm unlimited".split(" ");
    const child = start([...follow, "--from", daysAgo(1), ...words], sandbox.env());
    child.stderr.pause();
    child.stdout.resume();
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
    child.stderr.destroy();
  }, 60_000);
});

test("`| head -1`: exit 0 and nothing on stderr", async () => {
  const command = `"$NODE" "$PROGRAM" ${follow.join(" ")} --from -30m --sandbox | head -1; echo "exit \${PIPESTATUS[0]}" >&2`;
  const env = { ...binaryEnv(), NODE: process.execPath, PROGRAM: program };
  const { stdout, stderr } = await ended(spawn("bash", ["-c", command], { env, stdio: "pipe" }));
  expect(stdout.toString("utf8").split("\n").length).toBe(2);
  expect(stderr).toBe("exit 0\n");
});

describe("one file per hour of the rows", () => {
  const days = isLong ? 4 : 1;
  const folder = temporaryFolder();

  test("after any number of kill -9, each row is in the file of its hour, once", async () => {
    const rows = marketRows(1, sandboxNow - days * day, sandboxNow);
    const files = (): readonly string[] =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ndjson"))
        .map((name) => path.join(folder, name));
    const textOf = (file: string): string => readFileSync(file, "utf8");
    const size = (): number => files().reduce((sum, file) => sum + statSync(file).size, 0);
    const out = path.join(folder, "{network}", "{date-hour}.ndjson");
    const words = [...follow, "--out", out, "--poll", "2s", "--rpm", "unlimited", "--page-size", "10"];
    const from = ["--from", daysAgo(days)];
    const written = (): number => files().reduce((sum, file) => sum + textOf(file).split("\n").length - 1, 0);
    const kills = isLong ? 60 : 3;
    for (let turn = 0; turn < kills && written() < rows.length; turn += 1) {
      const before = size();
      const child = start([...words, ...(before === 0 ? from : [])], sandbox.env());
      await expect.poll(size, { timeout: 20_000, interval: 2 }).toBeGreaterThan(before);
      await new Promise((resolve) => setTimeout(resolve, (turn * 7) % 40));
      child.kill("SIGKILL");
      await ended(child);
    }
    const left = rows.length - written();
    console.log(`${rows.length} rows, ${left} after the last kill, ${files().length} files`);
    if (left > 0) {
      const { exit } = await ended(start([...words, "--limit", String(left)], sandbox.env()), 120_000);
      expect(exit).toBe(0);
    }
    for (const file of files())
      for (const row of rowsOf(textOf(file)))
        expect(String(row["created_at"]).slice(0, 13)).toBe(path.basename(file, ".ndjson"));
    expect(
      files()
        .flatMap((file) => writtenRows(textOf(file)))
        .toSorted(),
    ).toEqual(rows.toSorted());
  }, 600_000);
});

describe("memory", () => {
  /** Megabytes. */
  const most = isLong ? 20 : 12;

  test("does not grow with the size of the history", async () => {
    const pull = async (days: number): Promise<number> => {
      const rows = countMarketRows(1, sandboxNow - days * day, sandboxNow);
      const words = [
        ...follow,
        "--from",
        daysAgo(days),
        "--poll",
        "2s",
        "--rpm",
        "unlimited",
        "--limit",
        String(rows),
      ];
      const taken = await longPull(words, sandbox.env());
      expect({ exit: taken.exit, rows: taken.rows }).toEqual({ exit: 0, rows });
      console.log(
        `${rows} rows: ${taken.peakMegabytes.toFixed(1)} MB in ${(taken.milliseconds / 1000).toFixed(1)} s`,
      );
      return taken.peakMegabytes;
    };
    const longest = isLong ? 28 : 8;
    const few = await pull(longest / 4);
    // Extra memory on a busy machine is freed by the next measurement; a leak remains.
    let many = await pull(longest);
    for (let again = 0; again < 2 && many - few > most; again += 1)
      many = Math.min(many, await pull(longest));
    expect(many - few).toBeLessThanOrEqual(most);
  }, 240_000);
});
