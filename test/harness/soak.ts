import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { binaryEnv, program } from "./binary.ts";

/** A running program, observed from outside (Linux). */
export interface Watched {
  readonly megabytes: number;
  /** The most so far. */
  readonly peakMegabytes: number;
  readonly descriptors: number;
  /** Seconds of processor time so far. */
  readonly processor: number;
}

export function watch(pid: number): Watched {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const times = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /su, "")
    .split(" ");
  return {
    megabytes: Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1]) / 1024,
    peakMegabytes: Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1]) / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    // utime and stime, in hundredths of a second.
    processor: (Number(times[11]) + Number(times[12])) / 100,
  };
}

export interface BenchServer {
  readonly url: string;
  readonly close: () => void;
}

/** Starts the server of `test/bench` in a separate process. */
export async function startStreamServer(flags: readonly string[]): Promise<BenchServer> {
  const script = path.resolve("test/bench/stream-server.mjs");
  const child = spawn(process.execPath, [script, ...flags], { stdio: ["pipe", "pipe", "inherit"] });
  const url = await new Promise<string>((resolve) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString("utf8").trim()));
  });
  child.stdout.resume();
  return { url, close: () => child.stdin.end() };
}

export function startStream(url: string, flags: readonly string[] = []): ReturnType<typeof spawnStream> {
  return spawnStream(["stream", asset, "-o", "ndjson", "--streaming-url", url, ...flags]);
}

const asset = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

function spawnStream(words: readonly string[]) {
  return spawn(process.execPath, [program, ...words], {
    env: binaryEnv(),
    stdio: ["ignore", "pipe", "pipe"],
  });
}
