import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * The program as a user's shell would start it: the built one, or the command link of an installed package. `npm test`
 * builds it first, `npm run test:package` installs it.
 */
export const program = path.resolve(process.env["DEXDATA_TEST_PROGRAM"] ?? "dist/dexdata.cjs");

/** The directory of the package: dist/, completions/, package.json. */
export const packageFolder = path.resolve(realpathSync(program), "../..");

/**
 * Returns an environment without the machine's settings, and without a certificate file, which slows the start of Node
 * 20. Each run has its own home, so compiled code is not cached for other runs.
 */
export function binaryEnv(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const folder = mkdtempSync(path.join(tmpdir(), "dexdata-binary-"));
  return {
    PATH: process.env["PATH"],
    HOME: folder,
    LANG: "C.UTF-8",
    DEXDATA_CONFIG_DIR: folder,
    NODE_DISABLE_COMPILE_CACHE: "1",
    ...env,
  };
}

export interface Ended {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export function start(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...words], { env: binaryEnv(env), stdio: "pipe" });
}

/** Collects both streams and waits for the end, with a time limit: a hang fails instead of waiting. */
export async function ended(child: ChildProcessWithoutNullStreams, milliseconds = 20_000): Promise<Ended> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  const timer = setTimeout(() => child.kill("SIGKILL"), milliseconds);
  return await new Promise((resolve) => {
    child.once("close", (exit, signal) => {
      clearTimeout(timer);
      resolve({
        exit,
        signal,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString("utf8"),
      });
    });
  });
}

/** Whether a process handles SIGHUP, which is signal 1: the lowest bit. */
export function catchesHangUp(pid: number): boolean {
  const caught = /SigCgt:\s+(?<mask>\w+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.groups?.[
    "mask"
  ];
  return (BigInt(`0x${caught ?? "0"}`) & 1n) === 1n;
}
