import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Context } from "../../base/context/context.ts";
import { type Failure, usageFailure } from "../../base/failure.ts";
import { cannotBeStarted } from "../../base/files/file-errors.ts";

type Running = Pick<Context, "env" | "clock" | "signal" | "platform">;

/** In milliseconds. The user may have to type a passphrase or touch a device. */
const TIME_LIMIT = 60_000;
const MAX_BYTES = 4096;

/**
 * Returns the first line of the output. The rest and stderr are never shown, because they may contain the key. The
 * program does not get stdin, which may contain this run's addresses, but it can prompt on the terminal.
 */
export async function runKeyCommand(
  context: Running,
  words: readonly string[],
  where: string,
): Promise<string> {
  context.signal.throwIfAborted();
  const [program = "", ...rest] = words;
  const over = new AbortController();
  const isGroup = context.platform !== "win32" && !hasTerminal();
  const child = spawn(program, rest, {
    stdio: ["ignore", "pipe", "ignore"],
    env: context.env,
    detached: isGroup,
  });
  const stop = (): void => {
    if (isGroup) killGroup(child.pid);
    child.kill();
    // This run must not wait for a program that ignores the signal, or for its child processes.
    child.stdout.destroy();
    child.unref();
  };
  context.signal.addEventListener("abort", stop);
  try {
    const ended = new Promise<string>((resolve, reject) => {
      const chunks: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (Buffer.concat(chunks).length > MAX_BYTES)
          reject(refused(where, "printed more than just the key"));
      });
      child.once("error", (cause) => {
        const problem = `${where}: "${program}" ${cannotBeStarted(cause)}`;
        reject(usageFailure(problem, "show the command: dexdata config get key_command"));
      });
      // A background process may keep the output open for hours, so a complete line is sufficient.
      child.once("exit", (code) => {
        const text = Buffer.concat(chunks).toString("utf8");
        if (code === 0 && text.includes("\n")) resolve(text);
      });
      child.once("close", (code, signal) => {
        if (code === 0) resolve(Buffer.concat(chunks).toString("utf8"));
        else reject(refused(where, code === null ? `was killed by ${signal}` : `exited with code ${code}`));
      });
    });
    const text = await Promise.race([ended, tooLong(context, over.signal, where)]);
    const [line = ""] = text.split(/\r?\n/u);
    if (line === "") throw refused(where, "printed no key");
    return line;
  } catch (cause) {
    stop();
    context.signal.throwIfAborted();
    throw cause;
  } finally {
    child.stdout.destroy();
    over.abort();
    context.signal.removeEventListener("abort", stop);
  }
}

/**
 * On a terminal, Ctrl-C reaches the program's own child processes as well, and a program in a new session could not ask
 * for a passphrase there. Without a terminal, the program gets a process group, which is killed as a whole.
 */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGTERM");
  } catch {
    // All processes of the group have ended.
  }
}

async function tooLong({ clock, signal }: Running, over: AbortSignal, where: string): Promise<never> {
  await clock.sleep(TIME_LIMIT, AbortSignal.any([over, signal]));
  throw refused(where, `printed no key within ${TIME_LIMIT / 1000}s`);
}

function refused(where: string, why: string): Failure {
  return usageFailure(
    `${where}: the program ${why}`,
    "run the command yourself to see its output, which may contain the key: dexdata config get key_command",
  );
}
