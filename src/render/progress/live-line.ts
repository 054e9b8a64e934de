import { Writable } from "node:stream";
import ora, { spinners } from "ora";
import type { Output } from "../../context/context.ts";
import { joinFitting } from "../values/width.ts";

export type LiveLine = ReturnType<typeof createLiveLine>;

/** Avoids ora's `start()`, which would read stdin, hide the cursor, and intercept stdout and stderr. */
export function createLiveLine(output: Output, isUnicode: boolean) {
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
    draw: (parts: readonly string[]): void => {
      terminal.columns = output.columns || 80;
      // In some terminals, a line as wide as the window moves the cursor down. ora itself uses two columns.
      spinner.text = joinFitting(parts, isUnicode, Math.max(1, terminal.columns - 3));
      spinner.render();
      isThere = true;
      flush().catch(() => undefined);
    },
    /** Resolves when the line has been removed from the terminal. */
    clear: async (): Promise<void> => {
      if (!isThere) return;
      isThere = false;
      spinner.clear();
      await flush().catch(() => undefined);
    },
  };
}
