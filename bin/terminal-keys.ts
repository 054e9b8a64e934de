import { closeSync, openSync, readFileSync } from "node:fs";
import { ReadStream } from "node:tty";
import type { Key } from "../src/base/context/context.ts";

const escape = "\u001B";

const keys: ReadonlyMap<string, Key> = new Map([
  ["q", "q"],
  ["s", "s"],
  ["?", "?"],
  [`${escape}[A`, "up"],
  [`${escape}[B`, "down"],
  [`${escape}OA`, "up"],
  [`${escape}OB`, "down"],
  [`${escape}[5~`, "page-up"],
  [`${escape}[6~`, "page-down"],
  // Terminals differ: xterm in its two modes, tmux and the Linux console, and rxvt.
  ...["[H", "OH", "[1~", "[7~"].map((code) => [`${escape}${code}`, "home"] as const),
  ...["[F", "OF", "[4~", "[8~"].map((code) => [`${escape}${code}`, "end"] as const),
]);

/** Without line mode, the terminal delivers these as characters instead of signals. */
const signals: ReadonlyMap<string, NodeJS.Signals> = new Map([
  ["\u0003", "SIGINT"],
  ["\u001C", "SIGQUIT"],
]);
const ctrlZ = "\u001A";

/** An escape sequence or a single character. */
const PRESSED = new RegExp(`${escape}(?:\\[[\\d;]*[A-Za-z~]|O[A-Z])|[^]`, "gu");

/**
 * Reads keys from the terminal itself, because stdin may be a pipe. Ctrl-C goes to all processes of the pipeline, as
 * in line mode, and `suspend` is called for Ctrl-Z. Undefined without a terminal, and in the background, where reading would
 * stop the process.
 */
export function listenForKeys(listener: (key: Key) => void, suspend: () => void): (() => void) | undefined {
  if (process.platform === "win32" || !isInForeground()) return undefined;
  const terminal = openTerminal();
  if (terminal === undefined) return undefined;
  terminal.setRawMode(true);
  // A terminal that disappears also sends SIGHUP, which ends the run.
  terminal.on("error", () => undefined);
  terminal.on("data", (bytes: Buffer) => {
    for (const pressed of bytes.toString("utf8").match(PRESSED) ?? []) {
      const signal = signals.get(pressed);
      if (signal !== undefined) process.kill(0, signal);
      if (pressed === ctrlZ) return suspend();
      const key = keys.get(pressed);
      if (key !== undefined) listener(key);
    }
  });
  terminal.unref();
  return () => {
    terminal.setRawMode(false);
    terminal.destroy();
  };
}

function openTerminal(): ReadStream | undefined {
  let file: number | undefined;
  try {
    file = openSync("/dev/tty", "r");
    return new ReadStream(file);
  } catch {
    if (file !== undefined) closeSync(file);
    return undefined;
  }
}

/** The terminal stops a background process that changes its mode or reads from it. */
function isInForeground(): boolean {
  try {
    if (process.platform !== "linux") {
      // Not imported, because every run would load it.
      const { execFileSync } = process.getBuiltinModule("node:child_process");
      const [group, foreground] = execFileSync("ps", ["-o", "pgid=,tpgid=", "-p", String(process.pid)], {
        encoding: "utf8",
      })
        .trim()
        .split(/\s+/u);
      return group === foreground;
    }
    // proc(5): after the name in parentheses follow state, parent, group, session, terminal and foreground group.
    const stat = readFileSync("/proc/self/stat", "utf8");
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return group === foreground;
  } catch {
    return false;
  }
}
