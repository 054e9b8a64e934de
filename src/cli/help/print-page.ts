import type { Context } from "../../context/context.ts";
import { createPaint } from "../../render/painter.ts";
import { isColored, settledColor } from "../output/is-colored.ts";
import { type Block, drawPage } from "./page.ts";

/** Lines are no longer than this, however wide the window: long ones are hard to read. */
const widest = 100;
const usual = 80;

/** To people: fitted to the window, headings in bold where there is colour. */
export async function printPage(blocks: readonly Block[], context: Context): Promise<void> {
  const { isTerminal, columns } = context.stdout;
  const width = Math.min(columns ?? usual, widest);
  const paint = await createPaint(isColored(settledColor(context), context));
  await context.stdout.write(drawPage(blocks, { width, breaksCommands: isTerminal, paint }));
}
