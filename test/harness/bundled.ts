import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { rolldown } from "rolldown";
import { afterAll } from "vitest";

/**
 * A module of ours as users run it: bundled, and loaded by Node itself. Vitest wraps every access to an import, which
 * makes hot loops several times slower, so only bundled code is worth measuring.
 */
export async function bundled(source: string): Promise<unknown> {
  const folder = mkdtempSync(path.join(tmpdir(), "dexdata-bundled-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "module.cjs");
  const bundle = await rolldown({ input: source, platform: "node", logLevel: "silent" });
  await bundle.write({ file, format: "cjs", codeSplitting: false });
  await bundle.close();
  const loaded: unknown = createRequire(import.meta.url)(file);
  return loaded;
}

/** Milliseconds of processor time: what the machine's other work does not lengthen. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
