import { closeSync, fstatSync } from "node:fs";
import { homedir } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { isatty } from "node:tty";
import {
  type Context,
  type EndingSignal,
  exitOfInterruption,
  type Input,
  type Interruption,
  isInterruption,
  type Output,
} from "../src/base/context/context.ts";
import { usageFailure } from "../src/base/failure.ts";
import { readStart } from "../src/base/files/bounded-read.ts";
import { createClock } from "./process-clock.ts";
import { listenForKeys } from "./terminal-keys.ts";

interface ProcessContext extends Context {
  readonly release: () => void;
  /** Once the run has stopped waiting for its reader, pending writes must not keep the process alive. */
  readonly isReaderLeft: () => boolean;
}

/**
 * What the entry has loaded already. It is passed on, because a module that other files import from the entry would make
 * the library load, and so run, the program.
 */
export interface Entry {
  readonly early: {
    readonly isAwaited: () => boolean;
    /** Returns whether a SIGHUP arrived. After this call, other listeners handle the signal. */
    readonly take: () => boolean;
  };
  /** Takes a path within the package. */
  readonly readPackageFile: (name: string) => string;
}

/** The process ends when nothing keeps it alive. */
export async function runInProcess(entry: Entry, work: (context: Context) => Promise<number>): Promise<void> {
  closeLostTerminals();
  const context = createProcessContext(entry);
  // Do not call exit() here, because data written to a pipe may not have been delivered yet.
  process.exitCode = await work(context);
  context.release();
  // A reader that stopped reading gets a second for the last lines, or half a second after an interruption.
  const end = (): void => endProcess(context.signal.reason);
  if (context.isReaderLeft()) setTimeout(end, context.signal.aborted ? 500 : 1000).unref();
}

/** Node restores the modes of its terminals at exit, and aborts with a core dump if one of them is gone and still open. */
function closeLostTerminals(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  process.once("exit", () => {
    for (const descriptor of terminals) if (!isatty(descriptor)) closeSync(descriptor);
  });
}

/**
 * process.exit() would wait for a name server that does not respond. If a signal ends the process instead, shells report
 * the same exit code.
 */
function endProcess(reason: unknown): void {
  const isLookingUp = !isWindows && process.getActiveResourcesInfo().includes("GetAddrInfoReqWrap");
  if (isLookingUp && isInterruption(reason) && ["SIGINT", "SIGTERM", "SIGHUP"].includes(reason.cause))
    process.kill(process.pid, reason.cause);
  process.exit();
}

const isWindows = process.platform === "win32";
/** SIGBREAK is Ctrl-Break on Windows. No platform has both signals. */
const quitting = isWindows ? "SIGBREAK" : "SIGQUIT";

/**
 * In a container, the user may not have an entry in the user database. Packages that ask for the home directory when they
 * are loaded would then fail, although no file is in it. Docker sets the same directory.
 */
function setMissingHome(): void {
  try {
    homedir();
  } catch {
    process.env["HOME"] = "/";
  }
}

/**
 * If Ctrl-Z arrives as a key, the terminal is given back before any process of the group stops. The shell may take the
 * terminal as soon as one of them stops, e.g. npx, and then stops each process that changes the terminal's mode.
 */
function createSuspension() {
  const givingBack = new Set<() => Promise<void>>();
  let isGivenBack = false;
  const onSuspend: Context["onSuspend"] = (before, after) => {
    const stop = (): void => {
      const given = isGivenBack ? Promise.resolve() : before();
      void given.finally(() => process.kill(process.pid, "SIGSTOP"));
    };
    const resume = (): void => {
      isGivenBack = false;
      after();
    };
    givingBack.add(before);
    process.on("SIGTSTP", stop).on("SIGCONT", resume);
    return () => {
      givingBack.delete(before);
      process.off("SIGTSTP", stop).off("SIGCONT", resume);
    };
  };
  const suspendAll = (): void => {
    isGivenBack = true;
    const given = Promise.all([...givingBack].map((before) => before()));
    void given.finally(() => process.kill(0, "SIGTSTP"));
  };
  return { onSuspend, suspendAll };
}

/** Call `release` to let the process end. Until then, the signal handlers and stdin keep it alive. */
function createProcessContext({ early, readPackageFile }: Entry): ProcessContext {
  setMissingHome();
  let isReaderLeft = false;
  const ending = new AbortController();
  const interrupt = (interruption: Interruption): void => {
    // A user who presses Ctrl-C twice does not want to wait for cleanup.
    if (ending.signal.aborted && interruption.cause !== "closed-pipe")
      process.exit(exitOfInterruption(interruption));
    ending.abort(interruption);
  };
  // A pager has its own use for Ctrl-C.
  let isPaging = false;
  const onSignal = (cause: EndingSignal) => (): void => {
    if (!isPaging || cause !== "SIGINT") interrupt({ cause });
  };
  let reloaders = 0;
  // When the terminal closes, the run cleans up its unfinished files and prints the command that resumes it.
  const onHangUp = (): void => {
    if (reloaders === 0 && !early.isAwaited()) interrupt({ cause: "SIGHUP" });
  };
  const listeners = [
    ["SIGINT", onSignal("SIGINT")],
    ["SIGTERM", onSignal("SIGTERM")],
    ["SIGHUP", onHangUp],
    // Ctrl-\ must not leave a hidden cursor or a partial file behind. git and sort also handle it.
    [quitting, onSignal("SIGQUIT")],
  ] as const;
  for (const [signal, listener] of listeners) process.on(signal, listener);
  const suspension = createSuspension();
  return {
    stdout: withPager(
      createOutput(process.stdout, () => interrupt({ cause: "closed-pipe" })),
      (isShown) => (isPaging = isShown),
    ),
    // The last messages of a stream may not have a reader.
    stderr: createOutput(streamOfErrors(), undefined, () => isReaderLeft),
    stdin: createInput(interrupt),
    env: process.env,
    platform: process.platform,
    pid: process.pid,
    nodeVersion: process.versions.node,
    packageFile: readPackageFile,
    clock: createClock(),
    random: Math.random,
    signal: ending.signal,
    interrupt,
    stopWaitingForReader: () => {
      isReaderLeft = true;
    },
    isReaderLeft: () => isReaderLeft || ending.signal.aborted,
    onReload: (listener) => {
      // On Windows, SIGHUP means that the console is closing.
      if (isWindows) return () => undefined;
      process.on("SIGHUP", listener);
      reloaders += 1;
      if (early.take()) listener();
      return () => {
        process.off("SIGHUP", listener);
        reloaders -= 1;
      };
    },
    onSuspend: suspension.onSuspend,
    onKey: (listener) => listenForKeys(listener, suspension.suspendAll),
    release: () => {
      for (const [signal, listener] of listeners) process.off(signal, listener);
      early.take();
    },
  };
}

/** With `2>&1 |`, both share one queue. Otherwise, a message could split a row that a full pipe has accepted in part. */
function streamOfErrors(): NodeJS.WriteStream {
  const [out, errors] = [fstatSync(1, { bigint: true }), fstatSync(2, { bigint: true })];
  const isShared = out.dev === errors.dev && out.ino === errors.ino;
  return isShared && (out.isFIFO() || out.isSocket()) ? process.stdout : process.stderr;
}

function createOutput(
  stream: NodeJS.WriteStream,
  onClosed = (): void => undefined,
  isReaderLeft = (): boolean => false,
): Output {
  // Without a listener, a closed pipe would cause an uncaught EPIPE error with a stack trace.
  const fail = (error: NodeJS.ErrnoException): void => {
    if (error.code === "EPIPE" || error.code === "EOF") onClosed();
  };
  stream.on("error", fail);
  return {
    isTerminal: stream.isTTY,
    get target() {
      const stat = fstatSync(stream === process.stdout ? 1 : 2, { bigint: true });
      if (stat.isFIFO() || stat.isSocket()) return "pipe";
      return stat.isFile() ? stat : undefined;
    },
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    get rows() {
      return stream.isTTY ? stream.rows : undefined;
    },
    unaccepted: () => {
      // Node has no public name for the handle, which is given one write at a time and counts it at once.
      const handle: unknown = Reflect.get(stream, "_handle");
      if (typeof handle !== "object" || handle === null) return undefined;
      const given: unknown = Reflect.get(handle, "bytesWritten");
      const queued: unknown = Reflect.get(handle, "writeQueueSize");
      if (typeof given !== "number" || typeof queued !== "number") return undefined;
      return stream.bytesWritten - given + queued;
    },
    write: (text) => {
      const written = new Promise<void>((resolve, reject) => {
        // The callback runs after the reader has received the bytes, so awaiting it applies back-pressure.
        stream.write(text, (error) => {
          if (error === null || error === undefined) return resolve();
          fail(error);
          return reject(error);
        });
      });
      return isReaderLeft() ? Promise.race([written, wait(300, undefined, { ref: false })]) : written;
    },
  };
}

function withPager(output: Output, shown: (isShown: boolean) => void): Output {
  if (!output.isTerminal) return output;
  return Object.assign(output, {
    page: async (text: string): Promise<void> => {
      // Starting programs takes a module that few runs need.
      const { findPager } = await import("./pager.ts");
      shown(true);
      const isShown = await findPager(process.env)?.(text).finally(() => shown(false));
      if (isShown !== true) await output.write(text);
    },
  });
}

function createInput(interrupt: (interruption: Interruption) => void): Input {
  return {
    // Does not use process.stdin.isTTY, because it opens the stream, which takes 5 ms, and few runs read stdin.
    get isTerminal() {
      return isatty(0);
    },
    read: async (signal, most = maxOfStdin) => {
      // Node reads a directory as if it were an empty file.
      if (fstatSync(0).isDirectory()) throw usageFailure("stdin cannot be read (is a directory)");
      const bytes = await readStart(process.stdin, most + 1, signal);
      if (bytes.length > most)
        throw usageFailure(`stdin: larger than ${sizeText(most)}, the limit for this input`);
      return bytes.toString("utf8");
    },
    readLine: async (signal) => await (await import("./read-terminal.ts")).readLine(signal),
    readSecret: async (signal) => {
      // Imported on demand, because loading readline takes 3 ms and few runs read a secret.
      const { readSecret } = await import("./read-terminal.ts");
      return await readSecret(signal, () => interrupt({ cause: "SIGINT" }));
    },
  };
}

/** In bytes. This is enough for a million rows and far below the maximum length of a string. */
const maxOfStdin = 256 * 1024 * 1024;

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
}
