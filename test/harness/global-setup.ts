import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Plugin } from "rolldown";
import type { TestProject } from "vitest/node";
import { bundle } from "./bundle.ts";
import { searchFolder } from "./key-search.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The file of the bundled sandbox. */
    bundledSandbox: string;
    /** The file of the bundled program. */
    bundledProgram: string;
  }
}

const shared = path.resolve("test/harness/shared-market.ts");

/** Fails if no import is replaced: tests with a market of their own are only slower, which nobody would notice. */
const sharedMarket: Plugin = {
  name: "shared-market",
  resolveId: (id, importer) => (id.endsWith("/market/market.ts") && importer !== shared ? shared : undefined),
  buildEnd() {
    if (!this.getModuleInfo(shared)) this.error("no sandbox in this bundle shares its market");
  },
};

/**
 * Runs once for all test files. It bundles the sandbox and the program, because vitest's loader takes a second per file
 * for their modules and makes hot loops several times slower. It also creates one temporary directory for everything
 * that the files and their programs write, so that the final search covers all of it.
 */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(path.join(fastestFolder(), "dexdata-tests-"));
  // Certificates of the machine that the tests do not need: thousands of started programs would read them first.
  delete process.env["NODE_EXTRA_CA_CERTS"];
  // Windows uses TEMP.
  for (const name of ["TMPDIR", "TEMP"]) process.env[name] = folder;
  const bundled = async (part: string): Promise<string> => {
    const file = path.join(folder, `${part}.cjs`);
    await bundle(`test/harness/${part}-entry.ts`, file, [sharedMarket]);
    return file;
  };
  project.provide("bundledSandbox", await bundled("sandbox"));
  project.provide("bundledProgram", await bundled("program"));
  return () => {
    try {
      reportSearch(folder);
      if (project.config.exclude.includes("**/*.slow.test.ts"))
        console.log("npm run test:all runs the slow tests");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

/** A third of the time of tests that write files is spent on the disk: in memory, if there is room for a whole run. */
function fastestFolder(): string {
  const inMemory = "/dev/shm";
  if (!existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize > 8e9 ? inMemory : tmpdir();
}

/** Prints what `no-key-seen.ts` has searched, and searches the remaining files; the run fails if there is a key. */
function reportSearch(folder: string): void {
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
    // An error thrown here would be printed, but the run would still exit with 0.
    process.exitCode = 1;
  }
}
