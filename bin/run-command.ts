import { setFlagsFromString } from "node:v8";
import { enableCompileCache } from "./compile-cache.ts";
import { readSwitch } from "../src/base/text/words.ts";
import type { Entry } from "./process-context.ts";

/** V8 compiles code with the current flags, so its chunks are loaded after the flags are set. */
export async function runCommand(argv: readonly string[], entry: Entry): Promise<void> {
  // V8 rejects the compiled code that Node has for its own modules once a flag has changed.
  process.getBuiltinModule("node:net");
  tuneEngine(argv);
  // Node saves what is compiled when a file is loaded. This flag compiles all of it, so that later runs compile nothing.
  setFlagsFromString("--no-lazy");
  if (!enableCompileCache()) setFlagsFromString("--lazy");
  const { runMain } = await import("./run-main.ts");
  await runMain(argv, entry);
}

/**
 * With the first two flags, the young generation of V8's heap keeps its initial size, and the old one is collected
 * before it grows a fifth larger than its live objects. By default, 4,000 pages take 20 MB more; the limit is 12 MB.
 * The sandbox goes without them, because its market takes 70 MB anyway and its searches would take a tenth longer.
 *
 * Before Node 24, the third flag keeps V8 from optimizing undici's WebAssembly on a worker thread, which briefly takes
 * 36 MB and delays each exit by 55 ms. A pull of 100,000 rows is just as fast without it.
 */
function tuneEngine(argv: readonly string[]): void {
  const [major] = process.versions.node.split(".");
  const simulates =
    argv[0] === "sandbox" ||
    argv.includes("--sandbox") ||
    readSwitch(process.env["DEXDATA_SANDBOX"] ?? "") === true;
  const flags = simulates ? [] : ["--semi-space-growth-factor=1", "--heap-growing-percent=20"];
  for (const flag of Number(major) < 24 ? [...flags, "--liftoff-only"] : flags) setFlagsFromString(flag);
}
