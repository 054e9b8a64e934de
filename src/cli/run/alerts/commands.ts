import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { type Context, isInterruption, type Output } from "../../../base/context/context.ts";
import { findProgram } from "../../../base/files/paths.ts";
import { cannotBeStarted } from "../../../base/files/file-errors.ts";
import { usageFailure } from "../../../base/failure.ts";
import { counted } from "../../../base/text/words.ts";
import { createRepeatLimiter } from "../repeat-limiter.ts";
import type { Report } from "../report.ts";
import type { Alert } from "./alerts.ts";

/** At once, and waiting. */
const [maxRunning, maxWaiting] = [4, 1000];
/** Milliseconds until a command is ended, and between TERM and KILL. */
const [timeLimit, killAfter] = [60_000, 5000];
/** How long the last text on stderr is awaited after the end of a command, in milliseconds. */
const lastErrors = 1000;

type Surroundings = Pick<Context, "clock" | "env" | "platform" | "signal" | "stdout" | "stderr">;

/**
 * Runs a command for each alert, without a shell, and with the alert on stdin. Data never waits for a command, and a
 * failing one is reported but not repeated.
 */
export function createCommands(
  { clock, env, platform, signal, stdout, stderr }: Surroundings,
  command: readonly string[],
  { warn }: Pick<Report, "warn">,
  onDropped: (alert: Alert) => void,
  /** If set, the next run acts on alerts that a signal has left undone. */
  state: { readonly end: (id: string) => void } | undefined,
) {
  const waiting: Alert[] = [];
  const running = new Map<string, ChildProcess>();
  const done = new Set<Promise<void>>();
  const isGroup = platform !== "win32";
  const timesToWarn = createRepeatLimiter(clock);
  let [failed, dropped] = [0, 0];
  /** At most one warning a minute. */
  const fail = (problem: string): void => {
    failed += 1;
    if (timesToWarn("") === undefined) return;
    const more = failed === 1 ? "" : ` (${failed} commands have failed)`;
    warn(`alert command "${command[0]}" ${problem}${more}`);
  };
  // A screen shows what commands write to stderr as messages, instead of being overwritten by it.
  const errors = stdout.isTerminal && stderr.isTerminal ? stderr : undefined;
  const parts = { clock, command, env: withoutKeys(env), isGroup, fail, errors, running };
  const drop = (alert: Alert): void => {
    dropped += 1;
    onDropped(alert);
    state?.end(alert.id);
  };
  const run = async (alert: Alert): Promise<void> => {
    const problem = await runCommand(alert, parts).catch(cannotBeStarted);
    running.delete(alert.asset);
    if (problem !== undefined) fail(problem);
    // If a signal has ended the command, the next run starts it again.
    if (problem === undefined || !signal.aborted) state?.end(alert.id);
    startNext();
  };
  const startNext = (): void => {
    while (running.size < maxRunning) {
      const index = waiting.findIndex(({ asset }) => !running.has(asset));
      const [alert] = index < 0 ? [] : waiting.splice(index, 1);
      if (alert === undefined) return;
      const work = run(alert).finally(() => done.delete(work));
      done.add(work);
    }
  };
  return {
    add: (alert: Alert): void => {
      if (waiting.length >= maxWaiting) drop(alert);
      else waiting.push(alert);
      startNext();
    },
    /** Waits for all commands. After a signal, running commands have a short time to end. */
    close: async (): Promise<void> => {
      let cancel: (() => void) | undefined;
      const hurry = (): void => {
        const { reason }: { reason: unknown } = signal;
        if (isInterruption(reason) && reason.cause === "closed-pipe") return;
        for (const alert of waiting.splice(0)) if (state === undefined) drop(alert);
        cancel = clock.after(killAfter, () => {
          for (const child of running.values()) end(child, "SIGKILL", isGroup);
        });
      };
      signal.addEventListener("abort", hurry, { once: true });
      if (signal.aborted) hurry();
      while (done.size > 0) await Promise.all(done);
      signal.removeEventListener("abort", hurry);
      cancel?.();
      if (dropped > 0) warn(`${counted(dropped, "alert")} dropped without running the command`);
    },
  };
}

/** Throws if the program cannot be started. On Windows, the first alert shows the problem. */
export function checkCommand(
  [program = ""]: readonly string[],
  { env, platform }: Pick<Context, "env" | "platform">,
): void {
  const found = platform === "win32" ? "found" : findProgram(program, env["PATH"]);
  if (found === "not executable")
    throw usageFailure(`alert command "${program}" is not executable`, `run: chmod +x ${program}`);
  if (found === "not found")
    throw usageFailure(`alert command "${program}" was not found`, "check the path after --");
}

interface Parts extends Pick<Surroundings, "clock" | "env"> {
  readonly command: readonly string[];
  readonly isGroup: boolean;
  readonly fail: (problem: string) => void;
  /** Gets what commands write to stderr; undefined if they inherit it. */
  readonly errors: Output | undefined;
  readonly running: Map<string, ChildProcess>;
}

/** Resolves with the problem, if any. Rejects if the command cannot be started. */
async function runCommand(
  alert: Alert,
  { clock, command: [program = "", ...args], env, isGroup, fail, errors, running }: Parts,
): Promise<string | undefined> {
  const child = spawn(program, args, {
    stdio: ["pipe", "ignore", errors === undefined ? "inherit" : "pipe"],
    env: { ...env, DEXDATA_ALERT: alert.alert, DEXDATA_ALERT_ID: alert.id },
    detached: isGroup,
  });
  running.set(alert.asset, child);
  const kill = (): void => end(child, "SIGKILL", isGroup);
  // A second signal ends dexdata at once.
  process.once("exit", kill);
  // A command that reads nothing closes its end.
  child.stdin?.on("error", () => undefined).end(alert.line);
  const limits = [
    clock.after(timeLimit, () => {
      fail(`was ended after ${timeLimit / 1000}s`);
      end(child, "SIGTERM", isGroup);
    }),
    clock.after(timeLimit + killAfter, kill),
  ];
  const passing = errors && passOn(child.stderr, errors);
  try {
    await once(child, "exit");
  } finally {
    for (const stop of limits) stop();
    process.off("exit", kill);
    // Otherwise, programs that it has started would keep running.
    kill();
    // A program that has left the group may keep stderr open.
    if (child.stderr instanceof Socket) child.stderr.unref();
    const waiting = new AbortController();
    await Promise.race([passing, clock.sleep(lastErrors, waiting.signal)]);
    waiting.abort();
  }
  if (child.exitCode === 0) return undefined;
  return child.exitCode === null ? `was ended by ${child.signalCode}` : `exited with code ${child.exitCode}`;
}

async function passOn(from: AsyncIterable<Buffer> | null, to: Output): Promise<void> {
  try {
    for await (const bytes of from ?? []) await to.write(bytes);
  } catch {
    // The terminal was closed.
  }
}

function withoutKeys(env: Context["env"]): Context["env"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^DEXDATA_.*KEY/iu.test(name)));
}

/** Signals the command and all processes of its group. */
function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL", isGroup: boolean): void {
  try {
    if (isGroup && child.pid !== undefined) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // All processes of the group have ended.
  }
}
