import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";

/**
 * After SIGSTOP, which cannot be caught, the shell lets the terminal show what is typed. Raw mode is set again only if it
 * is reset first.
 */
function hideAgain(): void {
  process.stdin.setRawMode(false).setRawMode(true);
}

export async function readSecret(signal: AbortSignal, onInterrupt: () => void): Promise<string> {
  // readline handles line editing; its echo is discarded.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  // In raw mode, Ctrl-C arrives as a key and not as a signal.
  lines.once("SIGINT", onInterrupt);
  process.on("SIGCONT", hideAgain);
  return await firstOf(lines, signal).finally(() => process.off("SIGCONT", hideAgain));
}

/** The terminal echoes and edits the line itself, and Ctrl-C is a signal. */
export async function readLine(signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, terminal: false });
  lines.once("close", endLine).once("line", () => lines.off("close", endLine));
  return await firstOf(lines, signal);
}

/** What is printed after Ctrl-C or Ctrl-D starts on a new line. */
function endLine(): void {
  process.stderr.write("\n");
}

async function firstOf(lines: Interface, signal: AbortSignal): Promise<string> {
  return await new Promise((resolve, reject) => {
    let typed = "";
    const close = (): void => lines.close();
    lines.once("line", (line) => {
      typed = line;
      close();
    });
    signal.addEventListener("abort", close);
    lines.once("close", () => {
      signal.removeEventListener("abort", close);
      if (signal.aborted) reject(signal.reason);
      else resolve(typed);
    });
  });
}
