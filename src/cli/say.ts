import type { Context } from "../context/context.ts";
import { hideSecrets } from "../contract/key.ts";
import { visibleText } from "../render/sanitise.ts";

/** One line for people on stderr. Whatever stands in it: it stays one line, acts on nothing and tells no key. */
export async function say({ stderr }: Pick<Context, "stderr">, line: string): Promise<void> {
  await stderr.write(`${visibleText(hideSecrets(line))}\n`);
}
