import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isatty } from "node:tty";
import {
  type Context,
  type EndingSignal,
  exitOfInterruption,
  type Input,
  type Interruption,
  type Output,
} from "../src/context/context.ts";
import { usageFailure } from "../src/contract/failure.ts";
import type { EarlyReload } from "./early-reload.ts";
import { createClock } from "./process-clock.ts";

interface ProcessContext extends Context {
  readonly release: () => void;
  /** What is still to be written must not keep the process. */
  readonly isReaderLeft: () => boolean;
}

/** What the work comes to is the exit code of the process, which ends when nothing keeps it any more. */
export async function runInProcess(
  early: EarlyReload,
  work: (context: Context) => Promise<number>,
): Promise<void> {
  const context = createProcessContext(early);
  // exitCode rather than exit(): what was written to a pipe must still arrive.
  process.exitCode = await work(context);
  context.release();
  // What a reader does not take would keep a run that is over: it gets half a second for the last lines, or a little
  // more where nobody waits for the end.
  if (context.isReaderLeft()) setTimeout(() => process.exit(), context.signal.aborted ? 500 : 1000).unref();
}

/** Not that of node:timers/promises, which takes three quarters of a millisecond to load before the first request can leave. */
const turn = async (): Promise<void> =>
  await new Promise((resolve) => {
    setImmediate(resolve);
  });

const isWindows = process.platform === "win32";
/** Ctrl-Break there; no platform has both. */
const quitting = isWindows ? "SIGBREAK" : "SIGQUIT";

/** The real one. `release` lets the process end: signal handlers and stdin would keep it. */
function createProcessContext(early: EarlyReload): ProcessContext {
  let isReaderLeft = false;
  const ending = new AbortController();
  const interrupt = (interruption: Interruption): void => {
    // A second signal is immediate: whoever presses Ctrl-C twice does not want to wait for a line to be finished.
    if (ending.signal.aborted && interruption.cause !== "closed-pipe")
      process.exit(exitOfInterruption(interruption));
    ending.abort(interruption);
  };
  const onSignal = (cause: EndingSignal) => (): void => interrupt({ cause });
  const [onInterrupt, onTerminate] = [onSignal("SIGINT"), onSignal("SIGTERM")];
  // Ctrl-\ must not leave a terminal without its cursor, or the part of a file; git and sort see to that too.
  const onQuit = onSignal("SIGQUIT");
  let reloaders = 0;
  // When the terminal closes, the run cleans up its unfinished files and prints how to continue.
  const onHangUp = (): void => {
    if (reloaders === 0 && !early.isAwaited()) interrupt({ cause: "SIGHUP" });
  };
  process.on("SIGINT", onInterrupt).on("SIGTERM", onTerminate).on("SIGHUP", onHangUp).on(quitting, onQuit);
  return {
    stdout: createOutput(process.stdout, () => interrupt({ cause: "closed-pipe" })),
    // The last words of a tail: nobody may be there to read why it ended.
    stderr: unlessLeft(
      createOutput(process.stderr, () => undefined),
      () => isReaderLeft,
    ),
    stdin: createInput(interrupt),
    env: process.env,
    platform: process.platform,
    pid: process.pid,
    nodeVersion: process.versions.node,
    // The program runs from dist/, one level below the package root.
    packageFile: async (name) => await readFile(join(import.meta.dirname, "..", name), "utf8"),
    clock: createClock(),
    random: Math.random,
    // undici sends what it was asked for two turns of the event loop later, once it is connected.
    letLeave: async () => {
      await turn();
      await turn();
    },
    signal: ending.signal,
    interrupt,
    leaveReader: () => {
      isReaderLeft = true;
    },
    isReaderLeft: () => isReaderLeft || ending.signal.aborted,
    onReload: (listener) => {
      // There it says that the console is being closed.
      if (isWindows) return () => undefined;
      process.on("SIGHUP", listener);
      reloaders += 1;
      if (early.take()) listener();
      return () => {
        process.off("SIGHUP", listener);
        reloaders -= 1;
      };
    },
    onSuspend: (before, after) => {
      const stop = (): void => {
        void before().finally(() => process.kill(process.pid, "SIGSTOP"));
      };
      process.on("SIGTSTP", stop).on("SIGCONT", after);
      return () => process.off("SIGTSTP", stop).off("SIGCONT", after);
    },
    release: () => {
      process
        .off("SIGINT", onInterrupt)
        .off("SIGTERM", onTerminate)
        .off("SIGHUP", onHangUp)
        .off(quitting, onQuit);
      early.take();
    },
  };
}

function createOutput(stream: NodeJS.WriteStream, onClosed: () => void): Output {
  // Without a listener a closed pipe would be an uncaught EPIPE with a stack trace.
  const fail = (error: NodeJS.ErrnoException): void => {
    if (error.code === "EPIPE" || error.code === "EOF") onClosed();
  };
  stream.on("error", fail);
  return {
    isTerminal: stream.isTTY,
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    get rows() {
      return stream.isTTY ? stream.rows : undefined;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        // The callback comes when the bytes have been handed to the reader, so awaiting it is back-pressure.
        stream.write(text, (error) => {
          if (error === null || error === undefined) return resolve();
          fail(error);
          return reject(error);
        });
      }),
  };
}

/** Waits for a reader that has been left no longer than a moment. */
function unlessLeft(output: Output, isLeft: () => boolean): Output {
  return {
    isTerminal: output.isTerminal,
    get columns() {
      return output.columns;
    },
    get rows() {
      return output.rows;
    },
    write: (text) => {
      const written = output.write(text);
      return isLeft() ? Promise.race([written, wait(300, undefined, { ref: false })]) : written;
    },
  };
}

function createInput(interrupt: (interruption: Interruption) => void): Input {
  return {
    // Not process.stdin.isTTY, which opens the stream: 5 ms, and few runs read from it.
    get isTerminal() {
      return isatty(0);
    },
    read: async (signal, most = mostOfStdin) => {
      const chunks: Buffer[] = [];
      let length = 0;
      signal.addEventListener("abort", stopReading);
      try {
        for await (const chunk of process.stdin) {
          const bytes = Buffer.from(chunk);
          chunks.push(bytes);
          length += bytes.length;
          if (length > most)
            throw usageFailure(`stdin: more than ${sizeText(most)}, and no more is taken here`);
        }
      } finally {
        signal.removeEventListener("abort", stopReading);
        signal.throwIfAborted();
      }
      return Buffer.concat(chunks).toString("utf8");
    },
    readSecret: async (signal) => {
      // Behind an import: readline takes 3 ms, and few runs ask for a secret.
      const { readSecret } = await import("./read-secret.ts");
      return await readSecret(signal, () => interrupt({ cause: "SIGINT" }));
    },
  };
}

/** Bytes: a million rows of the service, and far below what a text may be long. */
const mostOfStdin = 256 * 1024 * 1024;

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
}

/** Ends the loop over stdin, which would otherwise wait for a line that nobody types any more. */
function stopReading(): void {
  process.stdin.destroy();
}
