/**
 * Everything outside itself that a run can use. `bin/` builds the real context from `process`; a test builds one whose
 * clock it sets and whose screen it reads. No other module reads `process`, the wall clock or random numbers.
 */
export interface Context {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The id of this process, so that others can check whether it still runs. */
  readonly pid: number;
  /** The version of Node, such as `20.19.0`. */
  readonly nodeVersion: string;
  /** Reads a text file that ships with this package, by its path from the package root. */
  readonly packageFile: (path: string) => Promise<string>;
  readonly clock: Clock;
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Resolves when the sockets have had their turns: everything that was due has been sent. */
  readonly letLeave: () => Promise<void>;
  /** Aborted by a signal, or when the reader closes stdout; its reason is an `Interruption`. */
  readonly signal: AbortSignal;
  /** Ends the run as a signal does; a closed stdout calls it. */
  readonly interrupt: (interruption: Interruption) => void;
  /**
   * Call this when a stream ends: output that its reader does not take soon is discarded, as after a signal. A finite
   * output waits for its reader, even a slow one.
   */
  readonly leaveReader: () => void;
  /**
   * Calls the listener whenever files should be reloaded (SIGHUP), until the returned function is called. Without a
   * listener, that signal ends the run.
   */
  readonly onReload: (listener: () => void) => () => void;
  /**
   * Calls `before` when the terminal suspends the process (Ctrl-Z), which waits until that has resolved, and `after` when
   * the process continues, until the returned function is called.
   */
  readonly onSuspend: (before: () => Promise<void>, after: () => void) => () => void;
}

/** Signals that end a run. */
export type EndingSignal = "SIGHUP" | "SIGINT" | "SIGQUIT" | "SIGTERM";

/** The external cause that ended a run early. */
export interface Interruption {
  readonly cause: EndingSignal | "closed-pipe";
}

export function isInterruption(reason: unknown): reason is Interruption {
  return (
    typeof reason === "object" && reason !== null && "cause" in reason && typeof reason.cause === "string"
  );
}

const exits = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143, "closed-pipe": 0 } as const;

/** Shells expect 128 plus the number of the signal that ended a process. A closed pipe is not an error. */
export function exitOfInterruption({ cause }: Interruption): (typeof exits)[keyof typeof exits] {
  return exits[cause];
}

export interface Output {
  readonly isTerminal: boolean;
  /** Width of the terminal in columns; undefined without a terminal. */
  readonly columns: number | undefined;
  /** Height of the terminal in lines; undefined without a terminal. */
  readonly rows?: number | undefined;
  /**
   * Resolves when the text has been passed on and the reader keeps up. Awaiting it lets a slow reader slow the requests
   * instead of filling memory. Rejects when the reader has closed the output.
   */
  readonly write: (text: string | Uint8Array) => Promise<void>;
}

export interface Input {
  readonly isTerminal: boolean;
  /**
   * The complete input as text. Rejects with the signal's reason if it aborts first, and with a usage failure if the input
   * is longer than `most` bytes.
   */
  readonly read: (signal: AbortSignal, most?: number) => Promise<string>;
  /** One line typed at a prompt without echo; only if `isTerminal`. Empty if the prompt was closed instead. */
  readonly readSecret: (signal: AbortSignal) => Promise<string>;
}

export interface Clock {
  /** Milliseconds since the epoch. It can jump: use it to show and resolve times, never to measure. */
  readonly now: () => number;
  /**
   * Milliseconds that only grow, from an arbitrary start that is the same for all processes on the machine
   * (CLOCK_MONOTONIC, QueryPerformanceCounter): for deadlines, durations, and times that processes share.
   */
  readonly elapsed: () => number;
  /** Resolves after the wait; rejects with the signal's reason if it aborts first. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Calls at this interval until the returned function is called. It never keeps the process alive. */
  readonly every: (milliseconds: number, call: () => void) => () => void;
}
