import { afterAll, afterEach } from "vitest";

/**
 * What modules of the harness clean up and check. Test files share these modules, so the modules cannot call `afterEach`
 * themselves: it would apply only to the first file that loads them.
 */
type Cleanup = () => unknown;

const cleanups: { readonly test: Cleanup[]; readonly file: Cleanup[] } = { test: [], file: [] };

/** Call this once per module. The function of the module that was loaded last runs first. */
export function afterEachTest(cleanup: Cleanup): void {
  cleanups.test.unshift(cleanup);
}

/** Call this once per module. The function of the module that was loaded last runs first. */
export function afterEachFile(cleanup: Cleanup): void {
  cleanups.file.unshift(cleanup);
}

/** For the setup file, which runs for each test file. */
export function registerHooks(): void {
  afterEach(async () => await runAll(cleanups.test));
  afterAll(async () => await runAll(cleanups.file));
}

/** A cleanup that fails does not prevent the others. */
async function runAll([cleanup, ...others]: readonly Cleanup[]): Promise<void> {
  if (cleanup === undefined) return;
  try {
    await cleanup();
  } finally {
    await runAll(others);
  }
}
