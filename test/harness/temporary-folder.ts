import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";

/** Creates a directory for one test file, removed after it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "dexdata-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
