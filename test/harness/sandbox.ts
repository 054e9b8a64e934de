import { afterAll, beforeAll } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/sandbox-exchange.ts";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { secretMark } from "./key-search.ts";
import { startSandbox } from "./bundled-sandbox.ts";

/** The time of every sandbox in the tests, in milliseconds: the same market in each run. */
export const sandboxNow = Date.parse("2026-11-21T08:54:00Z");

export interface SandboxInTest {
  /** Returns settings that make a run use it, as a caller on the plan. */
  readonly env: (
    tier?: "keyless" | "free" | "dev" | "pro" | "enterprise",
  ) => Readonly<Record<string, string>>;
  readonly running: () => RunningSandbox;
  /** Returns and clears the log entries, one per request. */
  readonly takeLog: () => readonly LogEntry[];
}

export interface LogEntry {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
}

/** Separate customers, whose keys no run prints; the keys of `dexdata sandbox` are not secret. */
const keys = {
  free: `api_free_${secretMark}_sandbox`,
  dev: `api_dev_${secretMark}_sandbox`,
  pro: `api_pro_${secretMark}_sandbox`,
  enterprise: `api_enterprise_${secretMark}_sandbox`,
};

/** Starts a separate sandbox for one test file, with its clock stopped at `sandboxNow`. */
export function useSandbox(options: Partial<SandboxOptions> = {}): SandboxInTest {
  let sandbox: RunningSandbox | undefined;
  let log: LogEntry[] = [];
  beforeAll(async () => {
    sandbox = await startSandbox({
      now: () => sandboxNow,
      elapsed: () => performance.now(),
      log: ({ method, url, status }) => log.push({ method, url, status, at: performance.now() }),
      ...options,
    });
  });
  afterAll(async () => await sandbox?.close());
  const running = (): RunningSandbox => {
    if (sandbox === undefined)
      throw new Error("the sandbox is started before the tests, not while they are described");
    return { ...sandbox, keys };
  };
  return {
    running,
    env: (tier = "pro") => ({
      DEXDATA_BASE_URL: running().restFree,
      DEXDATA_PRO_BASE_URL: running().restPaid,
      DEXDATA_STREAMING_URL: running().streamFree,
      DEXDATA_STREAMING_PRO_URL: running().streamPaid,
      ...(tier !== "keyless" && { DEXDATA_API_KEY: running().keys[tier], DEXDATA_TIER: tier }),
    }),
    takeLog: () => {
      const taken = log;
      log = [];
      return taken;
    },
  };
}
