import { createLibraryClient, type LibraryClient } from "../src/library/create-library-client.ts";
import type { ClientOptions } from "../src/library/public-types.ts";
import { createClock } from "./process-clock.ts";

// The entry point for `import { createClient } from "dexdata"`. The build writes its types; see declarations.ts.
export { Failure } from "../src/base/failure.ts";

export function createClient(options?: ClientOptions): LibraryClient {
  return createLibraryClient({ clock: createClock(), random: Math.random, warn }, options);
}

const warn = (text: string): void => process.emitWarning(text);
