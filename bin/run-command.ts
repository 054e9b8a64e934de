import { enableCompileCache } from "./compile-cache.ts";
import type { EarlyReload } from "./early-reload.ts";
import { tuneEngine } from "./engine.ts";

/** Runs any command. Its chunks are loaded after the engine is set up, because they are compiled under its settings. */
export async function runCommand(argv: readonly string[], early: EarlyReload): Promise<void> {
  tuneEngine(argv);
  enableCompileCache();
  const [{ runInProcess }, { main }] = await Promise.all([
    import("./process-context.ts"),
    import("../src/program/main.ts"),
  ]);
  await runInProcess(early, async (context) => await main(argv, context));
}
