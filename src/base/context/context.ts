import { setMaxListeners } from "node:events";
/**
 * Everything from outside the program. `bin/` creates the real context from `process`, and tests create their own. No
 * other module uses `process`, the wall clock or random numbers.
 */
export interface Context {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** Lets other processes check whether this one is still running. */
  readonly pid: number;
  /** Such as `20.19.0`. */
  readonly nodeVersion: string;
  /** The path is relative to this package's root. */
  readonly packageFile: (path: string) => string;
  readonly clock: Clock;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  /** Aborts when a signal arrives or the reader closes stdout. Its reason is an `Interruption`. */
  readonly signal: AbortSignal;
  /** Called when stdout is closed, to end the run as a signal would. */
  readonly interrupt: (interruption: Interruption) => void;
  /**
   * Call this when a stream ends, to discard output that its reader does not consume soon, as after a signal. A command
   * with finite output waits for its reader.
   */
  readonly stopWaitingForReader: () => void;
  /** Listens for SIGHUP (reload files) until the returned function is called. With no listener, SIGHUP ends the run. */
  readonly onReload: (listener: () => void) => () => void;
  /**
   * Calls `before` when the terminal suspends the process (Ctrl-Z), and `after` when it continues, until the returned
   * function is called. The process is not suspended until `before` has resolved.
   */
  readonly onSuspend: (before: () => Promise<void>, after: () => void) => () => void;
  /**
   * Calls `listener` for each key pressed on the terminal until the returned function is called, even if stdin is a
   * pipe. Undefined without a terminal, or while another process uses it.
   */
  readonly onKey: (listener: (key: Key) => void) => (() => void) | undefined;
}

/** A key that a live screen understands. */
export type Key = "q" | "s" | "?" | "up" | "down" | "page-up" | "page-down" | "home" | "end";

export type EndingSignal = "SIGHUP" | "SIGINT" | "SIGQUIT" | "SIGTERM";

export interface Interruption {
  /** `quit` is the key `q` on a live screen. */
  readonly cause: EndingSignal | "closed-pipe" | "quit";
}

export function isInterruption(reason: unknown): reason is Interruption {
  return (
    typeof reason === "object" && reason !== null && "cause" in reason && typeof reason.cause === "string"
  );
}

const exits = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143, "closed-pipe": 0, quit: 0 } as const;

/** Shells expect 128 plus the signal number. A closed pipe is not an error, and neither is the key `q`. */
export function exitOfInterruption({ cause }: Interruption): (typeof exits)[keyof typeof exits] {
  return exits[cause];
}

export interface Output {
  readonly isTerminal: boolean;
  /** The program behind a pipe may print the output to the terminal at any time. Undefined for a device. */
  readonly target?: "pipe" | { readonly dev: bigint; readonly ino: bigint } | undefined;
  /** In characters; undefined if the output is not a terminal. */
  readonly columns: number | undefined;
  /** In lines; undefined if the output is not a terminal. */
  readonly rows?: number | undefined;
  /** Resolves once the reader has caught up, so that data does not pile up. Rejects if the output is closed. */
  readonly write: (text: string | Uint8Array) => Promise<void>;
  /** Shows a text in the user's pager until it is closed; undefined if there is none. */
  readonly page?: ((text: string) => Promise<void>) | undefined;
  /** The number of bytes of pending writes that the system has not accepted; undefined if unknown. */
  readonly unaccepted?: () => number | undefined;
}

export interface Input {
  readonly isTerminal: boolean;
  /** Rejects with the signal's reason, or with a usage failure if the input exceeds `most` bytes. */
  readonly read: (signal: AbortSignal, most?: number) => Promise<string>;
  /** Reads one line. Requires `isTerminal`. Returns an empty string if the prompt was closed. */
  readonly readLine: (signal: AbortSignal) => Promise<string>;
  /** Reads without echo. Requires `isTerminal`. Returns an empty string if the prompt was closed. */
  readonly readSecret: (signal: AbortSignal) => Promise<string>;
}

export interface Clock {
  /** Since the epoch, in milliseconds. The value can jump, so never measure durations with it. */
  readonly now: () => number;
  /**
   * Monotonic time in milliseconds for deadlines and durations. The starting point is arbitrary, but the same for all
   * processes on the machine (CLOCK_MONOTONIC, QueryPerformanceCounter).
   */
  readonly elapsed: () => number;
  /** Rejects with the signal's reason if the signal aborts first. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Calls `call` once, unless the returned function is called before. */
  readonly after: (milliseconds: number, call: () => void) => () => void;
  /** Calls `call` until the returned function is called. The timer never keeps the process alive. */
  readonly every: (milliseconds: number, call: () => void) => () => void;
}

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `call` when the signal aborts, or now if it has, unless the returned function is called before. Takes the same time
 * however many wait: `addEventListener` compares a listener with all others, and a run can follow 10,000 lists.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  if (signal.aborted) {
    call();
    return () => undefined;
  }
  const calls = waiting.get(signal) ?? new Set();
  if (!waiting.has(signal)) {
    waiting.set(signal, calls);
    signal.addEventListener("abort", () => calls.forEach((each) => each()), { once: true });
  }
  // A function that is given twice is called twice.
  const own = (): void => call();
  calls.add(own);
  return () => void calls.delete(own);
}

export type ChildSignal = ReturnType<typeof childOf>;

/**
 * Also aborts when its parent aborts. `release` detaches it from the parent. With `AbortSignal.any`, the parent keeps 64
 * bytes per finished signal on Node 20: 12 MB after 200,000 signals.
 */
export function childOf(parent: AbortSignal) {
  const controller = new AbortController();
  // A hundred requests may listen to a signal, and by default Node warns about a leak at eleven listeners.
  setMaxListeners(0, controller.signal);
  return {
    signal: controller.signal,
    abort: (reason: unknown): void => controller.abort(reason),
    release: onAbort(parent, () => controller.abort(parent.reason)),
  };
}
