import { createRequire } from "node:module";
import { inject } from "vitest";
import type * as entry from "./sandbox-entry.ts";

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bundle that global-setup.ts makes of that very module
const sandbox = createRequire(import.meta.url)(inject("bundledSandbox")) as typeof entry;

/** The bundled sandbox, as users run it: several times faster than with vitest's loader. */
export const {
  handle,
  handleInSteps,
  createMarket,
  createNewMarket,
  openStream,
  StreamHub,
  plainDecimal,
  sourceOf,
  startSandbox,
  startLibrarySandbox,
  createSandboxState,
  answerWithFaults,
  createFaultCounter,
  parseFaults,
} = sandbox;
