import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { binaryEnv, program } from "./binary.ts";

const peakScript = path.resolve("test/harness/peak-memory.cjs");

export interface LongPull {
  readonly exit: number | null;
  readonly stderr: string;
  /** The number of lines written. */
  readonly rows: number;
  readonly milliseconds: number;
  /** The peak of resident memory; 0 if the system does not report it. */
  readonly peakMegabytes: number;
}

/** Pulls into a file with the built program, timed from outside. */
export async function longPull(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<LongPull> {
  const folder = mkdtempSync(path.join(tmpdir(), "dexdata-long-"));
  const file = path.join(folder, "rows.ndjson");
  const output = openSync(file, "w");
  const started = performance.now();
  const peakFile = path.join(folder, "peak");
  const child = spawn(process.execPath, ["--require", peakScript, program, ...words], {
    env: { ...binaryEnv(env), DEXDATA_TEST_PEAK: peakFile },
    stdio: ["pipe", output, "pipe"],
  });
  let stderr = "";
  child.stdin?.end();
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  let peakMegabytes = 0;
  const timer = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, peakOf(child.pid));
  }, 20);
  const exit = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const milliseconds = performance.now() - started;
  clearInterval(timer);
  closeSync(output);
  const rows = countLines(file);
  peakMegabytes = Math.max(peakMegabytes, readReportedPeak(peakFile));
  rmSync(folder, { recursive: true });
  return { exit, stderr, rows, milliseconds, peakMegabytes };
}

function countLines(file: string): number {
  const bytes = readFileSync(file);
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}

/** A killed process reports nothing. */
function readReportedPeak(file: string): number {
  return existsSync(file) ? Number(readFileSync(file, "utf8")) / 1024 : 0;
}

/** Linux records the peak. */
function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/u.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
