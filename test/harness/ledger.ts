import { parseFaults } from "../../src/sandbox/faults/parse-faults.ts";
import type { SandboxOptions } from "../../src/sandbox/exchange.ts";
import { startSandbox } from "./bundled-sandbox.ts";
import { toRow } from "./rows.ts";
import { sandboxNow } from "./sandbox.ts";

/** A sandbox that keeps account of what it charged. */
export interface Ledger {
  /** What makes a run ask it, with a pro key; `owner` makes it a key, and an account, of somebody else. */
  readonly env: (owner?: string) => Readonly<Record<string, string>>;
  readonly requests: () => number;
  /** Credits charged so far, as the sandbox's log tells them. */
  readonly charged: () => number;
  readonly close: () => Promise<void>;
}

export async function openLedger(
  options: Partial<Omit<SandboxOptions, "faults">> & { readonly faults?: string } = {},
): Promise<Ledger> {
  let [requests, charged] = [0, 0];
  const { faults, ...rest } = options;
  const wrong = faults === undefined ? [] : parseFaults(faults);
  if (!Array.isArray(wrong)) throw new Error(`${faults} are no faults`);
  const sandbox = await startSandbox({
    now: () => sandboxNow,
    elapsed: () => performance.now(),
    log: (line) => {
      requests += 1;
      charged += Number(toRow(line)["credits"]);
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
