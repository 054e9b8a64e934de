import { keepCompiledCode, saveCompiledCode } from "./code-cache.ts";
import type { EarlyReload } from "./early-reload.ts";
import { tuneEngine } from "./engine.ts";

/** Any command, whose chunks are compiled under the settings of the engine; `entry` is the file that was started. */
export async function runCommand(argv: readonly string[], early: EarlyReload, entry: string): Promise<void> {
  const code = keepCompiledCode(entry, tuneEngine(argv));
  const [{ runInProcess }, { main }] = await Promise.all([
    import("./process-context.ts"),
    import("../src/cli/main.ts"),
  ]);
  const { isInterrupted } = await runInProcess(early, async (context) => await main(argv, context));
  if (!isInterrupted) await saveCompiledCode(code);
}
