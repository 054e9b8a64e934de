import type { Context, Output } from "../context/context.ts";

/** The size of a terminal. */
export interface Window {
  readonly columns: number;
  readonly rows: number;
}

/** Draws the lines of the picture, none wider and no more than the window has room for. */
type Frame = (window: Window, elapsed: number) => readonly string[];

interface DisplayOptions extends Pick<Context, "clock" | "interrupt" | "onSuspend"> {
  readonly output: Output;
  readonly frame: Frame;
  /** Draws the lines that stay on the terminal after the end. */
  readonly lastFrame: Frame;
  /** Ends the run: the terminal is restored at once, even if the rest of the program still waits for something. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two pictures: ten per second after a change, one otherwise. */
const [busy, quiet] = [100, 1000];

// The alternate screen, which keeps the content of the normal one; no cursor; long lines are cut instead of wrapped.
const enter = "\u001B[?1049h\u001B[?25l\u001B[?7l";
const leave = "\u001B[?7h\u001B[?25h\u001B[?1049l";
/** Terminals that support this show everything between as one picture; others ignore it. */
const [begin, end] = ["\u001B[?2026h", "\u001B[?2026l"];
const [home, restOfLine, restOfScreen] = ["\u001B[H", "\u001B[K", "\u001B[J"];

/** A picture on a terminal, until it is closed. */
export function openDisplay(options: DisplayOptions) {
  const { clock, output, frame, lastFrame, signal, interrupt, onSuspend } = options;
  const done = new AbortController();
  let isChanged = true;
  let isLeft = false;
  let isAway = false;
  let isBack = false;

  // After Ctrl-Z, the shell needs the normal screen with a cursor.
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
    // Only the terminal can fail here, because it was closed.
    if (!done.signal.aborted) interrupt({ cause: "closed-pipe" });
  });

  return {
    /** The picture needs to be redrawn. */
    changed: (): void => {
      isChanged = true;
    },
    /** Restores the terminal, and writes the last picture below its earlier content. */
    close: async (): Promise<void> => {
      signal.removeEventListener("abort", giveBack);
      giveBack();
      await drawing;
      const last = lastFrame(windowOf(output), clock.elapsed());
      if (last.length > 0) await output.write(`${last.join("\n")}\n`);
    },
  };
}

/** Erases before each line: after a line as wide as the window, it would erase the last character. */
function picture(lines: readonly string[]): string {
  const last = lines.length - 1;
  const fresh = lines.map((line, index) => (index === last ? restOfScreen : restOfLine) + line);
  return begin + home + fresh.join("\r\n") + end;
}

/** A terminal that reports no size gets the traditional one. */
function windowOf({ columns, rows }: Output): Window {
  return { columns: columns || 80, rows: rows || 24 };
}
