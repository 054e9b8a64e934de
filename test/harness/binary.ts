import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * The program as a user's shell would start it: the built one, or that of an installed package, by its command's link.
 * `npm test` builds it first, `npm run test:package` installs it.
 */
export const program = path.resolve(process.env["DEXDATA_TEST_PROGRAM"] ?? "dist/dexdata.cjs");

/** What came with it: dist/, completions/, package.json. */
export const packageFolder = path.resolve(realpathSync(program), "../..");

/**
 * Nothing of the machine's own settings, and no certificate file that slows Node 20's start. Each run has a home of its
 * own, where compiled code would be kept for nobody.
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

/** Collects both streams and waits for the end; bounded, so that a hang is a failure and not a wait. */
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
