import type { EarlyReload } from "./early-reload.ts";
import { runInProcess } from "./process-context.ts";
import { guarded } from "../src/cli/program/guarded.ts";
import type { Block } from "../src/cli/render/page/help-page.ts";
import { printPage } from "../src/cli/render/terminal.ts";

/** main() would load every command. */
export async function runHelp(page: readonly Block[], early: EarlyReload): Promise<void> {
  await runInProcess(
    early,
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
