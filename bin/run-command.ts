import { setFlagsFromString } from "node:v8";
import { enableCompileCache } from "./compile-cache.ts";
import type { EarlyReload } from "./early-reload.ts";

/**
 * Runs any command. Its chunks are loaded after the V8 flags are set, because V8 compiles them with the current flags.
 */
export async function runCommand(argv: readonly string[], early: EarlyReload): Promise<void> {
  tuneEngine(argv);
  enableCompileCache();
  const [{ runInProcess }, { main }] = await Promise.all([
    import("./process-context.ts"),
    import("../src/program/main.ts"),
  ]);
  await runInProcess(early, async (context) => await main(argv, context));
}

/**
 * By default, the heap of V8 grows with the amount of data that passes through it. Without the first two flags, memory
 * use grows by 20 MB over 4,000 pages, and the limit is 12 MB. With them, the young generation keeps its initial size,
 * and V8 collects the old generation before it grows a fifth larger than its live objects.
 *
 * undici parses HTTP in WebAssembly, which V8 soon optimizes on a worker thread. The optimization briefly takes 36 MB.
 * Before Node 24, the process also cannot exit until it is done, which adds 55 ms to each command. A pull of 100,000
 * rows is just as fast without it.
 *
 * The simulated market of the sandbox takes 100 MB, so the first two flags would only cost time there: 1.6 of 4.4
 * seconds for a search across all networks.
 */
function tuneEngine(argv: readonly string[]): void {
  const [major] = process.versions.node.split(".");
  const simulates =
    argv[0] === "sandbox" || argv.includes("--sandbox") || process.env["DEXDATA_SANDBOX"] !== undefined;
  const flags = simulates ? [] : ["--semi-space-growth-factor=1", "--heap-growing-percent=20"];
  for (const flag of Number(major) < 24 ? [...flags, "--liftoff-only"] : flags) setFlagsFromString(flag);
}
