import type { Sandbox, SandboxOptions } from "../src/library/sandbox-types.ts";
import { startLibrarySandbox } from "../src/library/start-library-sandbox.ts";
import { createClock } from "./process-clock.ts";

// The entry point for `import { startSandbox } from "dexdata/sandbox"`. The build writes its types; see declarations.ts.
export async function startSandbox(options?: SandboxOptions): Promise<Sandbox> {
  return await startLibrarySandbox(createClock(), options);
}
