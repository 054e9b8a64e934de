import type { Context } from "../base/context/context.ts";
import type { Block } from "./help-page.ts";
import { drawPage } from "./render/draw-page.ts";
import { writePaged } from "./render/held-output.ts";
import { createPaint } from "./render/painter.ts";
import { asciiText } from "./render/sanitize.ts";
import { isUsuallyColored, readsUnicode } from "./render/terminal.ts";

/** Long lines are hard to read on a wide terminal. */
const widest = 100;
const usual = 80;

/** Headings are bold if color is enabled. */
export async function printPage(blocks: readonly Block[], context: Context): Promise<void> {
  const { isTerminal, columns } = context.stdout;
  const width = Math.min(columns ?? usual, widest);
  const paint = await createPaint(isUsuallyColored(context));
  const page = readsUnicode(context.env) ? blocks : blocks.map(inAscii);
  await writePaged(context.stdout, drawPage(page, { width, breaksCommands: isTerminal, paint }));
}

/** A terminal without UTF-8 would garble other characters. Commands are ASCII anyway. */
function inAscii({ prose, rows, ...block }: Block): Block {
  return {
    ...block,
    ...(prose !== undefined && { prose: plainText(prose) }),
    ...(rows !== undefined && { rows: rows.map(([term, text]) => [plainText(term), plainText(text)]) }),
  };
}

const plainText = (text: string): string =>
  asciiText(text.replaceAll("…", "...").replaceAll("→", "->").replaceAll(/[–—]/gu, "-"));
