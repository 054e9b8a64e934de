import type { SandboxOptions } from "../../src/sandbox/sandbox-exchange.ts";
import { afterEachTest } from "./after-tests.ts";
import { parseFaults, startSandbox } from "./bundled-sandbox.ts";
import { sandboxNow } from "./sandbox.ts";

/** A sandbox that records its charges. */
export interface Ledger {
  /** Returns settings that make a run use it with a pro key; `owner` selects another key and account. */
  readonly env: (owner?: string) => Readonly<Record<string, string>>;
  readonly requests: () => number;
  /** Credits charged so far, according to the sandbox's log. */
  readonly charged: () => number;
  readonly close: () => Promise<void>;
}

export async function openLedger(
  options: Partial<Omit<SandboxOptions, "faults">> & { readonly faults?: string } = {},
): Promise<Ledger> {
  let [requests, charged] = [0, 0];
  const { faults, ...rest } = options;
  const wrong = faults === undefined ? [] : parseFaults(faults);
  const sandbox = await startSandbox({
    now: () => sandboxNow,
    elapsed: () => performance.now(),
    log: ({ credits }) => {
      requests += 1;
      charged += credits;
    },
    // The waits of a test pass a thousand times faster than the sandbox's minute.
    requestsPerMinute: Number.POSITIVE_INFINITY,
    ...rest,
    faults: wrong,
  });
  return {
    env: (owner = "") => ({
      DEXDATA_PRO_BASE_URL: sandbox.restPaid,
      DEXDATA_API_KEY: `${sandbox.keys.pro}${owner}`,
      DEXDATA_TIER: "pro",
    }),
    requests: () => requests,
    charged: () => charged,
    close: sandbox.close,
  };
}

const opened: Ledger[] = [];

afterEachTest(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** Opens a ledger that is closed after the test. */
export async function ledgerInTest(options: Parameters<typeof openLedger>[0] = {}): Promise<Ledger> {
  const open = await openLedger(options);
  opened.push(open);
  return open;
}

/** Returns `count` different addresses, all unknown to the service. */
export function unknownAddresses(count: number): string {
  return Array.from({ length: count }, (_, index) => `0x${String(index).padStart(40, "0")}\n`).join("");
}
