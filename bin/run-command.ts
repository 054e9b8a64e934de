import { setFlagsFromString } from "node:v8";
import { enableCompileCache } from "./compile-cache.ts";
import type { EarlyReload } from "./early-reload.ts";

/** Runs any command. Its chunks are loaded after the engine is set up, because they are compiled under its settings. */
export async function runCommand(argv: readonly string[], early: EarlyReload): Promise<void> {
  keepParserSimple();
  enableCompileCache();
  const [{ runInProcess }, { main }] = await Promise.all([
    import("./process-context.ts"),
    import("../src/cli/main.ts"),
  ]);
  await runInProcess(early, async (context) => await main(argv, context));
}

/**
 * undici parses HTTP in WebAssembly, which V8 optimises on a worker thread once it has parsed enough. That takes 36 MB
 * for a moment, and before Node 24 the process cannot end before it is done: 55 ms a command. Unoptimised, a pull of a
 * hundred thousand rows takes no longer.
 */
function keepParserSimple(): void {
  const [major] = process.versions.node.split(".");
  if (Number(major) < 24) setFlagsFromString("--liftoff-only");
}
