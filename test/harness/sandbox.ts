import { afterAll, beforeAll } from "vitest";
import { type Row, toRow } from "./rows.ts";
import type { SandboxOptions } from "../../src/sandbox/exchange.ts";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { secretMark } from "./key-search.ts";
import { startSandbox } from "./bundled-sandbox.ts";

/** The instant of every sandbox of the tests, in milliseconds: the same market in each run. */
export const sandboxNow = Date.parse("2026-11-21T08:54:00Z");

export interface SandboxInTest {
  /** What makes a run ask it, as a caller of the tier. */
  readonly env: (
    tier?: "keyless" | "free" | "dev" | "pro" | "enterprise",
  ) => Readonly<Record<string, string>>;
  readonly running: () => RunningSandbox;
  /** One entry a request, as its log tells them; taken out by the call. */
  readonly takeLog: () => readonly LogEntry[];
}

export interface LogEntry {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** Milliseconds of a clock that only grows. */
  readonly at: number;
}

/** Customers of its own, whose keys no run prints; those of `dexdata sandbox` are no secret. */
const keys = {
  free: `api_free_${secretMark}_sandbox`,
  dev: `api_dev_${secretMark}_sandbox`,
  pro: `api_pro_${secretMark}_sandbox`,
  enterprise: `api_enterprise_${secretMark}_sandbox`,
};

function toEntry({ method, url, status }: Row): LogEntry {
  return { method: String(method), url: String(url), status: Number(status), at: performance.now() };
}

/** A sandbox on ports of its own for one test file, frozen at `sandboxNow`. */
export function useSandbox(options: Partial<SandboxOptions> = {}): SandboxInTest {
  let sandbox: RunningSandbox | undefined;
  let log: LogEntry[] = [];
  beforeAll(async () => {
    sandbox = await startSandbox({
      now: () => sandboxNow,
      elapsed: () => performance.now(),
      log: (line) => log.push(toEntry(toRow(line))),
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
