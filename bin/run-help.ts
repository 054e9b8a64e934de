import type { EarlyReload } from "./early-reload.ts";
import { runInProcess } from "./process-context.ts";
import { guarded } from "../src/cli/guarded.ts";
import type { Block } from "../src/cli/help/page.ts";
import { printPage } from "../src/cli/help/print-page.ts";

/** Help in place of main(), which would load every command. */
export async function runHelp(
  page: readonly Block[],
  argv: readonly string[],
  early: EarlyReload,
): Promise<void> {
  await runInProcess(
    early,
    async (context) =>
      await guarded(argv, context, async () => {
        await printPage(page, context);
        return 0;
      }),
  );
}
