import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { binaryEnv, ended, program, start } from "../harness/binary.ts";
import { isLong } from "../harness/long.ts";
import { longPull } from "../harness/long-pull.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { marketRows, pool } from "../tail/following.ts";

const follow = ["txns", "ethereum", pool, "--follow", "-o", "ndjson"];
const day = 86_400_000;

describe("a signal ends a tail that waits for its stream", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s: exit %i within a second, after whole lines", async (signal, expected) => {
    const child = start([...follow, "--from", "-30m", "--sandbox"]);
    const rows = await new Promise<Buffer>((resolve) => child.stdout.once("data", resolve));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const sent = performance.now();
    child.kill(signal);
    const { exit, stdout } = await ended(child);
    expect(exit).toBe(expected);
    expect(performance.now() - sent).toBeLessThan(1000);
    expect(Buffer.concat([rows, stdout]).toString("utf8")).toMatch(/^(?:\{[^\n]*\}\n)+$/u);
  });
});

/** Resolves after as long as a process that does nothing but wait takes beside: a busy machine slows both. */
async function beside(milliseconds: number): Promise<"the time is over"> {
  const twin = spawn(process.execPath, ["-e", `setTimeout(() => undefined, ${milliseconds})`]);
  await new Promise((resolve) => twin.once("exit", resolve));
  return "the time is over";
}

/** A tail whose reader takes nothing, from the moment that there is something to take; more than all buffers hold. */
async function startUnread(words: readonly string[]) {
  const child = start([...follow, "--from", "-60d", "--sandbox", "--rpm", "unlimited", ...words]);
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  const hasRows = await Promise.race([
    // An end without a row is told in the same way.
    new Promise((resolve) => child.stdout.once("readable", () => resolve(child.stdout.readableLength > 0))),
    exited.then(() => false),
  ]);
  return { child, exited, hasRows, stderr: () => stderr };
}

describe("a reader that takes nothing keeps nobody from ending a tail", () => {
  test("by SIGTERM", async () => {
    const { child, exited, stderr } = await startUnread([]);
    child.kill("SIGTERM");
    expect(await Promise.race([exited, beside(1500)])).toBe(143);
    expect(stderr()).toMatch(/rows may be missing at the end/u);
    child.stdout.destroy();
  }, 60_000);

  test("by --for", async () => {
    const tryFor = async (seconds: number): Promise<void> => {
      const { child, exited, hasRows, stderr } = await startUnread(["--for", `${seconds}s`]);
      // A machine that is so busy had no row to write by then: nothing is shown.
      if (hasRows === false && seconds < 30) return await tryFor(2 * seconds);
      expect(await Promise.race([exited, beside((seconds + 1.5) * 1000)])).toBe(0);
      expect(stderr()).toMatch(/rows may be missing at the end/u);
      child.stdout.destroy();
    };
    await tryFor(2);
  }, 120_000);

  test("where it is stderr that nobody reads", async () => {
    // Each request is a line with its headers there: more than a pipe holds.
    const child = start([
      ...follow,
      ..."--from -2d --page-size 5 --limit 1500 -vv --sandbox --rpm unlimited".split(" "),
    ]);
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

describe("memory", () => {
  /** Megabytes. */
  const most = 20;
  const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY });

  test("does not grow with the history that is read before", async () => {
    const pull = async (days: number): Promise<number> => {
      const rows = marketRows(1, sandboxNow - days * day, sandboxNow).length;
      const from = String((sandboxNow - days * day) / 1000);
      const words = [
        ...follow,
        "--from",
        from,
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
    const longest = isLong ? 28 : 14;
    const few = await pull(longest / 4);
    // What a busy machine adds, because memory is given back later there, is gone the next time; what grows is not.
    let many = await pull(longest);
    for (let again = 0; again < 2 && many - few > most; again += 1)
      many = Math.min(many, await pull(longest));
    expect(many - few).toBeLessThanOrEqual(most);
  }, 240_000);
});
