import { type Entry, runInProcess } from "./process-context.ts";
import { guarded } from "../src/cli/guarded.ts";
import type { Block } from "../src/cli/help-page.ts";
import { printPage } from "../src/cli/print-page.ts";

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
