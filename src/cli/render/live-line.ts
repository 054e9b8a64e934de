import ora, { spinners } from "ora";
import type { Output } from "../../base/context/context.ts";
import { joinFitting } from "./values/width.ts";

export type LiveLine = ReturnType<typeof createLiveLine>;

const erase = "\u001B[1G\u001B[2K";
/** Terminals with synchronized output show everything between these at once. Others ignore them. */
const [begin, end] = ["\u001B[?2026h", "\u001B[?2026l"];

/** Takes only frames from ora, because `start()` would read stdin, hide the cursor, and intercept stdout and stderr. */
export function createLiveLine(output: Output, isUnicode: boolean) {
  const { frames } = isUnicode ? spinners.dots : spinners.line;
  const spinner = ora({ spinner: { frames, interval: 80 }, color: false });
  let isThere = false;
  return {
    draw: (parts: readonly string[]): void => {
      // In some terminals, a line as wide as the window moves the cursor down. ora itself uses two columns.
      spinner.text = joinFitting(parts, isUnicode, Math.max(1, (output.columns || 80) - 3));
      isThere = true;
      output.write(`${begin}${erase}${spinner.frame()}${end}`).catch(() => undefined);
    },
    /** Resolves when the line has been removed from the terminal. */
    clear: async (): Promise<void> => {
      if (!isThere) return;
      isThere = false;
      await output.write(erase).catch(() => undefined);
    },
  };
}
