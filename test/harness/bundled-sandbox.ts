import { createRequire } from "node:module";
import { inject } from "vitest";
import type * as entry from "./sandbox-entry.ts";

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bundle that global-setup.ts makes of that very module
const sandbox = createRequire(import.meta.url)(inject("bundledSandbox")) as typeof entry;

/** The sandbox as users run it: bundled, several times faster than through vitest's own loader. */
export const {
  handle,
  startSandbox,
  createSandboxState,
  answerWithFaults,
  createFaultCounter,
  isFaultProblem,
  parseFaults,
} = sandbox;
