import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { binaryEnv, ended, program } from "../harness/binary.ts";
import { type BenchServer, startStreamServer } from "../harness/soak.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
const asset = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

/** One run into the file, with shell commands in front. */
function start(
  before: string,
  server: BenchServer,
  file: string,
  flags: string,
): ChildProcessWithoutNullStreams {
  const words = `stream ${asset} --streaming-url ${server.url} --out ${file} --error-format text ${flags}`;
  const command = `${before} exec ${process.execPath} ${program} ${words}`;
  return spawn("bash", ["-c", command], { env: binaryEnv(), stdio: "pipe" });
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function linesOf(file: string): readonly unknown[] {
  const text = readFileSync(file, "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

test.runIf(process.platform === "linux")(
  "a full disk is one clear error, and the next run continues after the last complete line",
  async () => {
    const server = await startStreamServer([]);
    const file = path.join(folder, "full.ndjson");
    // Files of 64 KiB at most, the nearest a test can get to a full disk.
    const full = await ended(start("ulimit -f 64;", server, file, ""));
    expect({ exit: full.exit, stdout: String(full.stdout) }).toEqual({ exit: 1, stdout: "" });
    expect(full.stderr).toMatch(/^error: --out ".*full\.ndjson": cannot be written \(file too large\)/mu);
    expect(readFileSync(file, "utf8").endsWith("\n"), "half a line is left").toBe(false);
    const next = await ended(start("", server, file, "--limit 1"));
    server.close();
    expect(next.exit).toBe(0);
    expect(next.stderr).toContain("the last line was incomplete and was removed");
    expect(linesOf(file).length).toBeGreaterThan(200);
  },
);

test("after kill -9 at any byte and another run, the file has only complete lines", async () => {
  const server = await startStreamServer([]);
  const file = path.join(folder, "killed.ndjson");
  for (let turn = 0; turn < 5; turn++) {
    const before = sizeOf(file);
    const child = start("", server, file, "");
    // A fast machine writes hundreds of megabytes per second, so the time is measured from the first line.
    await expect.poll(() => sizeOf(file), { timeout: 15_000, interval: 5 }).toBeGreaterThan(before);
    await new Promise((resolve) => setTimeout(resolve, turn * 37));
    child.kill("SIGKILL");
    await ended(child);
  }
  expect((await ended(start("", server, file, "--limit 1"))).exit).toBe(0);
  server.close();
  expect(linesOf(file).length).toBeGreaterThan(100);
});
