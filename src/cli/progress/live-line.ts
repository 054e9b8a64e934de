import { Writable } from "node:stream";
import ora, { spinners } from "ora";
import type { Output } from "../../context/context.ts";
import { joinFitting } from "../../render/table/join-fitting.ts";

/** One line at the bottom of a terminal that is drawn again and again, and leaves nothing behind. */
export interface LiveLine {
  readonly draw: (parts: readonly string[]) => void;
  /** Gives the place free; resolves when the terminal has it. */
  readonly clear: () => Promise<void>;
}

/**
 * ora's spinner, drawn by our clock on our output: `start()` would set a timer of its own, take stdin, hide the
 * cursor until an exit that it sees, and put itself between the process and both its outputs.
 */
export function createLiveLine(output: Output, isUnicode: boolean): LiveLine {
  let drawn = "";
  const collector = new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      drawn += String(text);
      done();
    },
  });
  const terminal = Object.assign(collector, {
    isTTY: true,
    columns: 80,
    cursorTo: (column: number) => collector.write(`\u001B[${column + 1}G`),
    moveCursor: (_: number, lines: number) => collector.write(`\u001B[${-lines}A`),
    clearLine: () => collector.write("\u001B[2K"),
  });
  const { frames } = isUnicode ? spinners.dots : spinners.line;
  const spinner = ora({
    stream: terminal,
    spinner: { frames, interval: 80 },
    isEnabled: true,
    discardStdin: false,
    hideCursor: false,
    color: false,
  });
  const flush = async (): Promise<void> => {
    const text = drawn;
    drawn = "";
    if (text !== "") await output.write(text);
  };
  let isThere = false;
  return {
    draw: (parts) => {
      terminal.columns = output.columns || 80;
      // A line as wide as the window would move the cursor to the next one in some terminals; two columns are ora's.
      spinner.text = joinFitting(parts, isUnicode, Math.max(1, terminal.columns - 3));
      spinner.render();
      isThere = true;
      flush().catch(() => undefined);
    },
    clear: async () => {
      if (!isThere) return;
      isThere = false;
      spinner.clear();
      await flush().catch(() => undefined);
    },
  };
}
