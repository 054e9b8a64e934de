import type { Clock, Context, Output } from "../context/context.ts";

/** What a terminal has room for. */
export interface Window {
  readonly columns: number;
  readonly rows: number;
}

/** A picture on a terminal, from its opening until it is closed. */
export interface Display {
  /** Something came. */
  readonly changed: () => void;
  /** Gives the terminal back as it was, with the last picture below what stood there. */
  readonly close: () => Promise<void>;
}

export interface DisplayOptions {
  readonly clock: Clock;
  readonly output: Output;
  /** The lines of the picture, no more and none wider than there is room for. */
  readonly frame: (window: Window, elapsed: number) => readonly string[];
  /** Those that stay below what stood on the terminal, once it is over. */
  readonly lastFrame: (window: Window, elapsed: number) => readonly string[];
  /** Ends the run: the terminal is given back at once, whatever the rest of the program still waits for. */
  readonly signal: AbortSignal;
  readonly interrupt: Context["interrupt"];
  readonly onSuspend: Context["onSuspend"];
}

/** Milliseconds between two pictures: ten a second when something happens, one when nothing does. */
const [busy, quiet] = [100, 1000];

// The other screen, so that what stood on this one comes back; no cursor; long lines are cut instead of broken.
const enter = "\u001B[?1049h\u001B[?25l\u001B[?7l";
const leave = "\u001B[?7h\u001B[?25h\u001B[?1049l";
/** Terminals that know this show all that is between as one picture; others ignore it. */
const [begin, end] = ["\u001B[?2026h", "\u001B[?2026l"];
const [home, restOfLine, restOfScreen] = ["\u001B[H", "\u001B[K", "\u001B[J"];

export function openDisplay(options: DisplayOptions): Display {
  const { clock, output, frame, lastFrame, signal, interrupt, onSuspend } = options;
  const done = new AbortController();
  let isChanged = true;
  let isLeft = false;
  let isAway = false;
  let isBack = false;

  // The shell that Ctrl-Z brings back needs its own screen, with a cursor.
  const release = onSuspend(
    async () => {
      isAway = true;
      await output.write(leave);
    },
    () => {
      isBack ||= isAway;
      isAway = false;
    },
  );
  const giveBack = (): void => {
    done.abort();
    release();
    if (isLeft) return;
    isLeft = true;
    output.write(leave).catch(() => undefined);
  };
  if (signal.aborted) done.abort();
  signal.addEventListener("abort", giveBack, { once: true });

  const keepDrawing = async (): Promise<void> => {
    await output.write(enter);
    let drawn = { elapsed: 0, text: "", window: windowOf(output) };
    while (!done.signal.aborted) {
      const elapsed = clock.elapsed();
      const window = windowOf(output);
      if (isBack) await output.write(enter);
      const isResized =
        isBack || window.columns !== drawn.window.columns || window.rows !== drawn.window.rows;
      isBack = false;
      if (!isAway && (isChanged || isResized || elapsed - drawn.elapsed >= quiet)) {
        isChanged = false;
        const text = picture(frame(window, elapsed));
        if (isResized || text !== drawn.text) await output.write(text);
        drawn = { elapsed, text, window };
      }
      await clock.sleep(busy, done.signal);
    }
  };
  const drawing = keepDrawing().catch(() => {
    // Only the terminal can fail here: whoever looked at it is gone.
    if (!done.signal.aborted) interrupt({ cause: "closed-pipe" });
  });

  return {
    changed: () => {
      isChanged = true;
    },
    close: async () => {
      signal.removeEventListener("abort", giveBack);
      giveBack();
      await drawing;
      const last = lastFrame(windowOf(output), clock.elapsed());
      if (last.length > 0) await output.write(`${last.join("\n")}\n`);
    },
  };
}

/** What stood there goes first: behind a line as wide as the window its last character would be erased. */
function picture(lines: readonly string[]): string {
  const last = lines.length - 1;
  const fresh = lines.map((line, index) => (index === last ? restOfScreen : restOfLine) + line);
  return begin + home + fresh.join("\r\n") + end;
}

/** A terminal that does not tell its size has the one that terminals have had since they exist. */
function windowOf({ columns, rows }: Output): Window {
  return { columns: columns || 80, rows: rows || 24 };
}
