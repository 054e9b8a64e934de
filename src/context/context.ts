/**
 * Everything a run may touch outside itself. `bin/` builds the real one from `process`; a test builds one whose
 * clock it sets and whose screen it reads. No other module reads `process`, the wall clock or chance.
 */
export interface Context {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The id of this process, by which others check whether it still runs. */
  readonly pid: number;
  /** Of Node, such as `20.19.0`. */
  readonly nodeVersion: string;
  /** Reads a text file that ships with this package, by its path from the package root. */
  readonly packageFile: (path: string) => Promise<string>;
  readonly clock: Clock;
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Resolves when the sockets have had their turns: what was to be sent by now has left. */
  readonly letLeave: () => Promise<void>;
  /** Aborted by a signal or a reader that closed stdout; its reason is an `Interruption`. */
  readonly signal: AbortSignal;
  /** Ends the run as a signal would; a closed stdout calls it. */
  readonly interrupt: (interruption: Interruption) => void;
  /**
   * A tail is over: what its reader does not take soon is given up, as after a signal. Whatever has an end of its own
   * waits for its reader, however slow that is.
   */
  readonly leaveReader: () => void;
  /**
   * Calls the listener whenever files are to be read again (SIGHUP), until the returned function is called. Without a
   * listener that signal ends the run.
   */
  readonly onReload: (listener: () => void) => () => void;
  /**
   * Calls `before` when the terminal asks the process to stop (Ctrl-Z), which it does when that has resolved, and `after`
   * when it goes on, until the returned function is called.
   */
  readonly onSuspend: (before: () => Promise<void>, after: () => void) => () => void;
}

/** Signals that end a run. */
export type EndingSignal = "SIGHUP" | "SIGINT" | "SIGQUIT" | "SIGTERM";

/** Why a run was cut short from outside. */
export interface Interruption {
  readonly cause: EndingSignal | "closed-pipe";
}

export function isInterruption(reason: unknown): reason is Interruption {
  return (
    typeof reason === "object" && reason !== null && "cause" in reason && typeof reason.cause === "string"
  );
}

const exits = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143, "closed-pipe": 0 } as const;

/** What shells expect of a process that a signal ended: 128 and its number. A reader that has enough is no error. */
export function exitOfInterruption({ cause }: Interruption): (typeof exits)[keyof typeof exits] {
  return exits[cause];
}

export interface Output {
  readonly isTerminal: boolean;
  /** Width in columns of the terminal; undefined where there is none. */
  readonly columns: number | undefined;
  /** Height in lines likewise. */
  readonly rows?: number | undefined;
  /**
   * Resolves when the text has been handed over and the reader keeps up, so that awaiting it makes a slow
   * reader slow the requests instead of filling memory. Rejects when the reader is gone.
   */
  readonly write: (text: string | Uint8Array) => Promise<void>;
}

export interface Input {
  readonly isTerminal: boolean;
  /**
   * The whole of it, as text; rejects with the signal's reason when that aborts first, and with a usage failure where it
   * is longer than `most` bytes.
   */
  readonly read: (signal: AbortSignal, most?: number) => Promise<string>;
  /** One line typed at a prompt without echo; only where `isTerminal`. Empty when the prompt was closed instead. */
  readonly readSecret: (signal: AbortSignal) => Promise<string>;
}

export interface Clock {
  /** Milliseconds since the epoch. Can jump: for showing and for resolving time bounds, never for measuring. */
  readonly now: () => number;
  /**
   * Milliseconds that only grow, from an arbitrary start that is the same for all processes of the machine
   * (CLOCK_MONOTONIC, QueryPerformanceCounter): for deadlines, durations, and what processes tell each other.
   */
  readonly elapsed: () => number;
  /** Resolves after the wait; rejects with the signal's reason when that aborts first. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Calls at this interval until the returned function is called. It never keeps the process alive. */
  readonly every: (milliseconds: number, call: () => void) => () => void;
}
