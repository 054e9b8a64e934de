import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { bundle } from "./bundle.ts";

/**
 * Loads a bundled module of the project with Node itself, as users run it. Vitest wraps every access to an import, which
 * makes hot loops several times slower, so only bundled code is worth measuring.
 */
export async function bundled(source: string): Promise<unknown> {
  const folder = mkdtempSync(path.join(tmpdir(), "dexdata-bundled-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "module.cjs");
  await bundle(source, file);
  const loaded: unknown = createRequire(import.meta.url)(file);
  return loaded;
}
