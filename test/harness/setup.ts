import { afterAll, afterEach } from "vitest";
import { registerHooks } from "./after-tests.ts";
import { endSearch, failWhenSeen } from "./no-key-seen.ts";
import { failWhenRefused } from "./no-public-host.ts";
import { failWhenListening } from "./no-server-left.ts";

// Runs for each test file, whereas the modules that it imports are loaded once per process.
afterEach(failWhenRefused);
afterEach(failWhenSeen);
afterAll(endSearch);
afterAll(failWhenListening);
registerHooks();
