/**
 * Everything that a run uses from outside the program. `bin/` creates the real context from `process`. Tests create a
 * context with a clock they can set and a terminal they can read. No other module uses `process`, the wall clock or
 * random numbers.
 */
export interface Context {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The ID of this process, which lets other processes check whether it is still running. */
  readonly pid: number;
  /** The Node version, such as `20.19.0`. */
  readonly nodeVersion: string;
  /** Reads a text file that ships with this package. The path is relative to the package root. */
  readonly packageFile: (path: string) => Promise<string>;
  readonly clock: Clock;
  /** Returns a random number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Resolves once the sockets have had time to send all pending requests. */
  readonly letLeave: () => Promise<void>;
  /** Aborts when a signal arrives or the reader closes stdout. Its reason is an `Interruption`. */
  readonly signal: AbortSignal;
  /** Ends the run as a signal would. It is called when stdout is closed. */
  readonly interrupt: (interruption: Interruption) => void;
  /**
   * Call this when a stream ends. Output that the reader does not consume soon is then discarded, just as after a
   * signal. A command with finite output waits for its reader, even for a slow one.
   */
  readonly leaveReader: () => void;
  /**
   * Calls the listener on each SIGHUP until the returned function is called. The signal means that files should be
   * reloaded. Without a listener, SIGHUP ends the run.
   */
  readonly onReload: (listener: () => void) => () => void;
  /**
   * Calls `before` when the terminal suspends the process (Ctrl-Z), and `after` when the process continues, until the
   * returned function is called. The process is not suspended until `before` has resolved.
   */
  readonly onSuspend: (before: () => Promise<void>, after: () => void) => () => void;
}

/** Signals that end a run. */
export type EndingSignal = "SIGHUP" | "SIGINT" | "SIGQUIT" | "SIGTERM";

/** The external event that ended a run early. */
export interface Interruption {
  readonly cause: EndingSignal | "closed-pipe";
}

export function isInterruption(reason: unknown): reason is Interruption {
  return (
    typeof reason === "object" && reason !== null && "cause" in reason && typeof reason.cause === "string"
  );
}

const exits = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143, "closed-pipe": 0 } as const;

/**
 * Returns the exit code for an interruption. Shells expect 128 plus the number of the signal that ended the process. A
 * closed pipe is not an error.
 */
export function exitOfInterruption({ cause }: Interruption): (typeof exits)[keyof typeof exits] {
  return exits[cause];
}

export interface Output {
  readonly isTerminal: boolean;
  /** Width of the terminal in columns; undefined if the output is not a terminal. */
  readonly columns: number | undefined;
  /** Height of the terminal in lines; undefined if the output is not a terminal. */
  readonly rows?: number | undefined;
  /**
   * Resolves once the text is written and the reader has caught up. Awaiting it slows down the requests if the reader
   * is slow, so that data does not pile up in memory. Rejects when the reader has closed the output.
   */
  readonly write: (text: string | Uint8Array) => Promise<void>;
}

export interface Input {
  readonly isTerminal: boolean;
  /**
   * Returns the complete input as text. Rejects with the signal's reason if the signal aborts first, and with a usage
   * failure if the input is longer than `most` bytes.
   */
  readonly read: (signal: AbortSignal, most?: number) => Promise<string>;
  /**
   * Returns one line that the user types at a prompt without echo. Requires `isTerminal`. Returns an empty string if
   * the prompt was closed.
   */
  readonly readSecret: (signal: AbortSignal) => Promise<string>;
}

export interface Clock {
  /**
   * Returns milliseconds since the epoch. The value can jump, so use it to display and resolve times, but never to
   * measure durations.
   */
  readonly now: () => number;
  /**
   * Returns a monotonic time in milliseconds. The starting point is arbitrary, but it is the same for all processes on
   * the machine (CLOCK_MONOTONIC, QueryPerformanceCounter). Use it for deadlines, durations and times that processes
   * share.
   */
  readonly elapsed: () => number;
  /** Resolves after the wait. Rejects with the signal's reason if the signal aborts first. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Calls `call` at this interval until the returned function is called. The timer never keeps the process alive. */
  readonly every: (milliseconds: number, call: () => void) => () => void;
}
