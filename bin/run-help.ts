import { type Entry, runInProcess } from "./process-context.ts";
import { guarded } from "../src/cli/program/guarded.ts";
import type { Block } from "../src/cli/render/page/help-page.ts";
import { printPage } from "../src/cli/render/terminal.ts";

/** main() would load every command. */
export async function runHelp(page: readonly Block[], entry: Entry): Promise<void> {
  await runInProcess(
    entry,
    async (context) =>
      await guarded(
        context,
        () => new Map(),
        async () => {
          await printPage(page, context);
          return 0;
        },
      ),
  );
}
