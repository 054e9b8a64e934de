import { setFlagsFromString } from "node:v8";
import { enableCompileCache } from "./compile-cache.ts";
import type { EarlyReload } from "./early-reload.ts";

/** Runs any command. Its chunks load after the engine is set up, because V8 compiles them under its settings. */
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
 * V8 lets its heap grow with the data that passes through it. Without the first two flags, 4,000 pages grow memory by 20 MB,
 * and the limit is 12. With them, the young generation keeps its first size, and V8 sweeps the old one before it is a fifth
 * larger than its live objects.
 *
 * undici parses HTTP in WebAssembly, which V8 soon optimizes on a worker thread. That takes 36 MB for a moment, and before
 * Node 24 the process cannot end until it is done: 55 ms per command. Without it, a pull of 100,000 rows is as fast.
 *
 * The simulated market of the sandbox keeps 100 MB, so there the first two flags would only cost time: 1.6 of 4.4 s for a
 * search across all networks.
 */
function tuneEngine(argv: readonly string[]): void {
  const [major] = process.versions.node.split(".");
  const simulates =
    argv[0] === "sandbox" || argv.includes("--sandbox") || process.env["DEXDATA_SANDBOX"] !== undefined;
  const flags = simulates ? [] : ["--semi-space-growth-factor=1", "--heap-growing-percent=20"];
  for (const flag of Number(major) < 24 ? [...flags, "--liftoff-only"] : flags) setFlagsFromString(flag);
}
