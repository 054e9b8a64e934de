import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { bundle } from "./bundle.ts";
import { searchFolder } from "./key-search.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The file of the bundled sandbox. */
    bundledSandbox: string;
  }
}

/**
 * Once for all test files: the sandbox is bundled, because vitest's loader makes its hot loops several times slower; and
 * there is one temporary folder for all that they and their programs write, so that nothing of it is missed at the end.
 */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(path.join(tmpdir(), "dexdata-tests-"));
  // The latter is what Windows goes by.
  for (const name of ["TMPDIR", "TEMP"]) process.env[name] = folder;
  const file = path.join(folder, "sandbox.cjs");
  await bundle("test/harness/sandbox-entry.ts", file);
  project.provide("bundledSandbox", file);
  return () => {
    try {
      tellSearch(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

/** What `no-key-seen.ts` has searched, and what is left here; the run fails where there is a key. */
function tellSearch(folder: string): void {
  const left = searchFolder(folder);
  let { bytes, files } = left;
  const log = path.join(folder, "searched.ndjson");
  const lines = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
  for (const line of lines) {
    const searched: unknown = JSON.parse(line);
    if (typeof searched !== "object" || searched === null) continue;
    bytes += "bytes" in searched ? Number(searched.bytes) : 0;
    files += "files" in searched ? Number(searched.files) : 0;
  }
  const { sightings } = left;
  const searched = `${(bytes / 1e6).toFixed(1)} MB of output and ${files} files of the tests`;
  if (sightings.length === 0) console.log(`searched ${searched} for keys: none but in key stores`);
  else {
    console.error(`a key was written: ${searched}:\n${sightings.join("\n")}`);
    // Thrown here, an error would be shown and the run would still end with 0.
    process.exitCode = 1;
  }
}
