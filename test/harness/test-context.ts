import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Context, Interruption, Key } from "../../src/base/context/context.ts";
import { afterEachFile } from "./after-tests.ts";
import { createTestClock, type TestClock } from "./test-clock.ts";
import { createTestOutput, type TestOutput } from "./test-output.ts";

export interface TestContextOptions {
  /** Added to the context's own `HOME`; the machine's environment is not visible. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The content of stdin; empty by default. */
  readonly stdin?: string;
  /** The lines typed at prompts; requires a terminal on stdin. */
  readonly typed?: readonly string[];
  /** The input at the prompt for a secret; requires a terminal on stdin. */
  readonly secret?: string;
  /** For all three, or for each; a pipe by default. */
  readonly isTerminal?:
    | boolean
    | { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean };
  /** For every output that is a terminal; 80 by default. */
  readonly columns?: number;
  /** Lines of every output that is a terminal; unknown by default. */
  readonly rows?: number;
  /** Milliseconds since the epoch, or RFC 3339; 2026-11-21T08:54:00Z by default. */
  readonly now?: number | string;
  /** The result of every random draw; 0 by default. */
  readonly random?: number | (() => number);
  /** The speed of sleeps; 1000 by default. See `createTestClock`. */
  readonly speed?: number;
  /** The wall clock moves with sleeps, as streams expect. */
  readonly flows?: boolean;
  readonly platform?: string;
}

export interface TestContext extends Context {
  readonly stdout: TestOutput;
  readonly stderr: TestOutput;
  readonly clock: TestClock;
  /** The home directory, initially empty, removed with the test file. */
  readonly home: string;
  readonly stdoutText: () => string;
  readonly stderrText: () => string;
  /** Acts as SIGHUP; returns false without a listener. */
  readonly reload: () => boolean;
  /** Acts as Ctrl-Z, and then `fg`. */
  /** Returns false if nothing listens for keys. */
  readonly press: (key: Key) => boolean;
  readonly suspend: () => Promise<void>;
  readonly goOn: () => void;
  /** The reason why the run was ended; undefined otherwise. */
  readonly interruption: () => Interruption | undefined;
}

/**
 * Creates everything that a run may access, under the test's control. Two contexts share nothing, unless `env` names a
 * directory.
 */
export function createTestContext(options: TestContextOptions = {}): TestContext {
  const controller = new AbortController();
  let interruption: Interruption | undefined;
  const listeners = new Set<() => void>();
  const pressing = new Set<(key: Key) => void>();
  const suspending = new Set<{ readonly before: () => Promise<void>; readonly after: () => void }>();
  const interrupt = (cause: Interruption): void => {
    interruption ??= cause;
    controller.abort(cause);
  };
  const isTerminal = (stream: "stdin" | "stdout" | "stderr"): boolean =>
    typeof options.isTerminal === "object"
      ? (options.isTerminal[stream] ?? false)
      : (options.isTerminal ?? false);
  const output = (stream: "stdout" | "stderr"): TestOutput =>
    createTestOutput({
      isTerminal: isTerminal(stream),
      columns: isTerminal(stream) ? (options.columns ?? 80) : undefined,
      rows: isTerminal(stream) ? options.rows : undefined,
      onClosed: () => {
        // A closed reader of stderr ends nothing.
        if (stream === "stdout") interrupt({ cause: "closed-pipe" });
      },
    });
  const { now = "2026-11-21T08:54:00Z", random = 0 } = options;
  const [stdout, stderr] = [output("stdout"), output("stderr")];
  const home = createHome();
  const typed = [...(options.typed ?? [])];
  return {
    stdout,
    stderr,
    stdin: {
      isTerminal: isTerminal("stdin"),
      read: () => Promise.resolve(options.stdin ?? ""),
      readLine: async () => {
        const line = typed.shift();
        if (!isTerminal("stdin") || line === undefined)
          throw new Error("a question that the test did not expect");
        return await Promise.resolve(line);
      },
      readSecret: async () => {
        if (!isTerminal("stdin")) throw new Error("a secret was asked for where there is no terminal");
        if (options.secret === undefined) throw new Error("a secret was asked for, and the test gave none");
        return await Promise.resolve(options.secret);
      },
    },
    env: { HOME: home, USERPROFILE: home, ...options.env },
    platform: options.platform ?? "linux",
    pid: process.pid,
    nodeVersion: process.versions.node,
    clock: createTestClock(
      typeof now === "string" ? Date.parse(now) : now,
      options.speed ?? 1000,
      options.flows,
    ),
    packageFile: (name) => readFileSync(path.join(import.meta.dirname, "../..", name), "utf8"),
    random: typeof random === "function" ? random : () => random,
    signal: controller.signal,
    interrupt,
    stopWaitingForReader: () => undefined,
    onReload: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onSuspend: (before, after) => {
      const listener = { before, after };
      suspending.add(listener);
      return () => suspending.delete(listener);
    },
    onKey: (listener) => {
      pressing.add(listener);
      return () => pressing.delete(listener);
    },
    press: (key) => {
      for (const listener of pressing) listener(key);
      return pressing.size > 0;
    },
    suspend: async () => {
      for (const { before } of suspending) await before();
    },
    goOn: () => {
      for (const { after } of suspending) after();
    },
    reload: () => {
      for (const listener of listeners) listener();
      return listeners.size > 0;
    },
    home,
    stdoutText: stdout.text,
    stderrText: stderr.text,
    interruption: () => interruption,
  };
}

let homes: { readonly folder: string; count: number } | undefined;

/** Creates a separate directory in the one for the test file. */
function createHome(): string {
  homes ??= { folder: mkdtempSync(path.join(os.tmpdir(), "dexdata-test-")), count: 0 };
  homes.count += 1;
  const home = path.join(homes.folder, String(homes.count));
  mkdirSync(home);
  return home;
}

afterEachFile(() => {
  if (homes !== undefined) rmSync(homes.folder, { recursive: true, force: true });
  homes = undefined;
});
