import { setFlagsFromString } from "node:v8";
import { enableCompileCache } from "./compile-cache.ts";
import type { EarlyReload } from "./early-reload.ts";

/** Runs any command. Its chunks are loaded after the engine is set up, because they are compiled under its settings. */
export async function runCommand(argv: readonly string[], early: EarlyReload): Promise<void> {
  tuneEngine();
  enableCompileCache();
  const [{ runInProcess }, { main }] = await Promise.all([
    import("./process-context.ts"),
    import("../src/program/main.ts"),
  ]);
  await runInProcess(early, async (context) => await main(argv, context));
}

/**
 * V8 lets its heap grow with what passes through it, however little of that stays: without the first two, 4,000 pages grow
 * by 20 MB, and the bound is 12. The young generation keeps its first size, and the old one is swept before it is a fifth
 * larger than what is alive in it.
 *
 * undici parses HTTP in WebAssembly, which V8 optimises on a worker thread once it has parsed enough. That takes 36 MB
 * for a moment, and before Node 24 the process cannot end before it is done: 55 ms a command. Unoptimised, a pull of a
 * hundred thousand rows takes no longer.
 */
function tuneEngine(): void {
  const [major] = process.versions.node.split(".");
  const flags = ["--semi-space-growth-factor=1", "--heap-growing-percent=20"];
  for (const flag of Number(major) < 24 ? [...flags, "--liftoff-only"] : flags) setFlagsFromString(flag);
}
