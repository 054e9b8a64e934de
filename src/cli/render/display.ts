import type { Context, Key, Output } from "../../base/context/context.ts";
import type { HeldOutput } from "./held-output.ts";
import { ellipsis, separator } from "./values/width.ts";

export interface Window {
  readonly columns: number;
  readonly rows: number;
  /** The terminal sends keys. */
  readonly hasKeys?: boolean;
}

type Frame = (window: Window, elapsed: number) => readonly string[];

interface Picture {
  readonly frame: Frame;
  /** Draws the lines that remain on the terminal when the display closes. */
  readonly lastFrame: Frame;
  /** Called for every key except `q`, which ends the run. */
  readonly pressed: (key: Key) => void;
  /** Called with each message, because a line on stderr would overwrite the frame. */
  readonly said: (message: string) => void;
}

type ScreenContext = Pick<Context, "clock" | "interrupt" | "onKey" | "onSuspend" | "signal" | "stdout">;

/** Milliseconds between frames while the content is changing, and while it is not. */
const [busy, quiet] = [100, 1000];

// Switches to the alternate screen, hides the cursor, and turns off line wrapping.
const enter = "\u001B[?1049h\u001B[?25l\u001B[?7l";
const leave = "\u001B[?7h\u001B[?25h\u001B[?1049l";
/** Terminals with synchronized output show everything between these at once. Others ignore them. */
const [begin, end] = ["\u001B[?2026h", "\u001B[?2026l"];
const [home, restOfLine, restOfScreen] = ["\u001B[H", "\u001B[K", "\u001B[J"];

/** A screen that shows messages. The latest ones appear on stderr again when it closes. */
export function openDisplay(
  context: ScreenContext & { readonly stderr: HeldOutput },
  { said, ...drawing }: Picture,
) {
  const { stderr } = context;
  const screen = openScreen(context, drawing);
  const say = (message: string): void => {
    said(message.trim());
    screen.changed();
  };
  const resume = stderr.isTerminal ? stderr.hold(say) : undefined;
  return {
    changed: screen.changed,
    say,
    close: async (): Promise<void> => {
      await screen.close();
      await resume?.();
    },
  };
}

/** When the signal aborts, the terminal is restored at once, even if the rest of the program is still waiting. */
function openScreen(context: ScreenContext, { frame, lastFrame, pressed }: Omit<Picture, "said">) {
  const { clock, stdout: output, signal, interrupt, onKey, onSuspend } = context;
  const done = new AbortController();
  let isChanged = true;
  let isLeft = false;
  let [isAway, isBack] = [false, false];

  const listen = () =>
    onKey((key) => {
      if (key === "q") return interrupt({ cause: "quit" });
      pressed(key);
      isChanged = true;
    });
  let ignoreKeys = listen();
  // On Ctrl-Z, give the shell back the normal screen, the cursor and the keys.
  const release = onSuspend(
    async () => {
      isAway = true;
      ignoreKeys?.();
      await output.write(leave);
    },
    () => {
      // SIGSTOP cannot be caught, so nothing was given back before the shell took it.
      if (!isAway) ignoreKeys?.();
      ignoreKeys = listen();
      [isBack, isAway] = [true, false];
    },
  );
  const giveBack = (): void => {
    done.abort();
    release();
    if (isLeft) return;
    isLeft = true;
    if (!isAway) ignoreKeys?.();
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
        const text = picture(frame({ ...window, hasKeys: ignoreKeys !== undefined }, elapsed));
        if (isResized || text !== drawn.text) await output.write(text);
        drawn = { elapsed, text, window };
      }
      await clock.sleep(busy, done.signal);
    }
  };
  const drawing = keepDrawing().catch(() => {
    // The only possible failure is a write error because the terminal was closed.
    if (!done.signal.aborted) interrupt({ cause: "closed-pipe" });
  });

  return {
    changed: (): void => {
      isChanged = true;
    },
    /** Restores the terminal, then writes the last frame below the earlier content. */
    close: async (): Promise<void> => {
      signal.removeEventListener("abort", giveBack);
      giveBack();
      await drawing;
      const last = lastFrame(windowOf(output), clock.elapsed());
      if (last.length > 0) await output.write(`${last.join("\n")}\n`);
    },
  };
}

/** Erases each line before writing it. Erasing afterward would remove the last character of a full-width line. */
function picture(lines: readonly string[]): string {
  const last = lines.length - 1;
  const fresh = lines.map((line, index) => (index === last ? restOfScreen : restOfLine) + line);
  return begin + home + fresh.join("\r\n") + end;
}

/** Assumes 80×24 for a terminal that does not report its size. */
function windowOf({ columns, rows }: Output): Window {
  return { columns: columns || 80, rows: rows || 24 };
}

/** Which part of a long list a live screen shows, and whether it shows its keys. */
export function createScroll() {
  let [first, page, last, isHelpShown] = [0, 1, 0, false];
  return {
    key: (key: Key): void => {
      if (key === "?") isHelpShown = !isHelpShown;
      const steps = { up: -1, down: 1, "page-up": -page, "page-down": page, home: -first, end: last - first };
      const step = new Map<string, number>(Object.entries(steps)).get(key) ?? 0;
      first = Math.max(0, Math.min(last, first + step));
    },
    /** The index of the first visible line. */
    first: (lines: number, visible: number): number => {
      page = Math.max(1, visible);
      last = Math.max(0, lines - visible);
      first = Math.min(first, last);
      return first;
    },
    isHelpShown: () => isHelpShown,
  };
}

export function keysLine(isUnicode: boolean, others: readonly string[] = ["s sort"]): string {
  const arrows = isUnicode ? "↑ ↓ PgUp PgDn scroll" : "arrows PgUp PgDn scroll";
  return ["q quit", ...others, arrows, "? hide keys"].join(separator(isUnicode));
}

/** `… 12 more lines` at the top of the list, and `lines 5–20 of 50` below it. */
export function restLine(first: number, visible: number, lines: number, isUnicode: boolean): string {
  if (first === 0) return `${ellipsis(isUnicode)} ${lines - visible} more lines`;
  return `lines ${first + 1}${isUnicode ? "–" : "-"}${first + visible} of ${lines}`;
}
