import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { errorCode } from "./error-code.ts";
import { keepMode } from "./kept-mode.ts";

/** The end of every staging name: 16 hexadecimal digits and `.new`. */
export const stagingSuffix = String.raw`\.[\da-f]{16}\.new`;

/** Names that another program planted before the client gives up. */
const maxAttempts = 10;

let count = 0;

/** A name beside `target` that no other process and no other call uses. */
export function stagingName(random: () => number, target: string): string {
  count = (count + 1) % 0x1_00_00;
  const drawn = Math.floor(random() * 2 ** 48).toString(16);
  return `${target}.${drawn.padStart(12, "0")}${count.toString(16).padStart(4, "0")}.new`;
}

/**
 * Writes the content of a file that is about to replace `target` to a file beside it, and returns its name. The file is
 * created exclusively, so nothing that another user plants under its name, such as a symbolic link, is opened. `kept`:
 * the permissions of the file that is replaced. After an error nothing is left.
 */
export function stageFile(
  random: () => number,
  target: string,
  content: string,
  { mode, kept }: { readonly mode: number; readonly kept?: number | undefined },
): string {
  const { staged, descriptor } = createStaged(random, target, kept ?? mode);
  try {
    keepMode(descriptor, kept);
    writeFileSync(descriptor, content);
    return staged;
  } catch (cause) {
    rmSync(staged, { force: true });
    throw cause;
  } finally {
    closeSync(descriptor);
  }
}

function createStaged(
  random: () => number,
  target: string,
  mode: number,
): { readonly staged: string; readonly descriptor: number } {
  for (let attempt = 1; ; attempt += 1) {
    const staged = stagingName(random, target);
    try {
      // `wx` is O_EXCL, which fails on an existing name and never follows a link.
      return { staged, descriptor: openSync(staged, "wx", mode) };
    } catch (cause) {
      if (errorCode(cause) !== "EEXIST" || attempt === maxAttempts) throw cause;
    }
  }
}
