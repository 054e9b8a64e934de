import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { bundle } from "./bundle.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The file of the bundled sandbox. */
    bundledSandbox: string;
  }
}

/** Once for all test files: the sandbox is bundled, because vitest's loader makes its hot loops several times slower. */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(path.join(tmpdir(), "dexdata-tests-"));
  const file = path.join(folder, "sandbox.cjs");
  await bundle("test/harness/sandbox-entry.ts", file);
  project.provide("bundledSandbox", file);
  return () => rmSync(folder, { recursive: true, force: true });
}
