import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { binaryEnv, ended, program, start } from "../harness/binary.ts";
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

test.each([
  ["SIGTERM", [], 143],
  ["--for", ["--for", "2s"], 0],
] as const)(
  "a reader that takes nothing keeps nobody from ending a tail by %s",
  async (stop, words, expected) => {
    // More than a pipe and the buffers at both ends of it hold.
    const child = start([...follow, "--from", "-60d", "--sandbox", "--rpm", "unlimited", ...words]);
    const begun = performance.now();
    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString("utf8");
    });
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const sent = performance.now();
    if (stop === "SIGTERM") child.kill(stop);
    expect(await exited).toBe(expected);
    if (stop === "SIGTERM") expect(performance.now() - sent).toBeLessThan(1500);
    expect(performance.now() - begun).toBeLessThan(6000);
    expect(stderr).toMatch(/rows may be missing at the end/u);
    child.stdout.destroy();
  },
  15_000,
);

test("`| head -1`: exit 0 and nothing on stderr", async () => {
  const command = `"$NODE" "$PROGRAM" ${follow.join(" ")} --from -30m --sandbox | head -1; echo "exit \${PIPESTATUS[0]}" >&2`;
  const env = { ...binaryEnv(), NODE: process.execPath, PROGRAM: program };
  const { stdout, stderr } = await ended(spawn("bash", ["-c", command], { env, stdio: "pipe" }));
  expect(stdout.toString("utf8").split("\n").length).toBe(2);
  expect(stderr).toBe("exit 0\n");
});

describe("memory", () => {
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
    const [few, many] = [await pull(7), await pull(28)];
    expect(many - few).toBeLessThanOrEqual(20);
  }, 60_000);
});
