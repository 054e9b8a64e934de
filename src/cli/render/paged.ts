import type { Output } from "../../base/context/context.ts";
import { withWrite } from "./held-output.ts";

/** Shows a text that is longer than the terminal in the user's pager. */
export async function writePaged(output: Output, text: string): Promise<void> {
  const { rows, page } = output;
  if (page === undefined || rows === undefined || countLines(text) < rows) await output.write(text);
  else await page(text);
}

/** Collects what is written, so that all of it is shown at once. */
export function collectForPager(output: Output) {
  const texts: string[] = [];
  const collect: Output["write"] = (text) => {
    texts.push(typeof text === "string" ? text : Buffer.from(text).toString("utf8"));
    return Promise.resolve();
  };
  return {
    output: withWrite(output, collect),
    take: (): string => texts.splice(0).join(""),
  };
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
