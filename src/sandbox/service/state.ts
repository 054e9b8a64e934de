import { createAccounts } from "./accounts.ts";
import { createEdgeCache, createFaultCounter, createSeenMarkets } from "../faults/due-faults.ts";
import type { Faults } from "../fault-kinds.ts";
import type { JsonObject } from "../wire/json-writer.ts";
import { createMarket } from "../market/market.ts";
import { makeRecent } from "../recent.ts";
import type { Pool, Token } from "../market/pool.ts";
import { defaultSettings, type SandboxOptions } from "../sandbox-exchange.ts";
import type { Work } from "../work.ts";

// Sorted search results, keyed by their parameters, so the next page does not sort again.
const LISTS_KEPT = 32;

export type SandboxState = ReturnType<typeof createSandboxState>;

/** Requests are counted from 1 again. */
export function setFaults(state: SandboxState, faults: Faults): void {
  state.faults = createFaultCounter(faults, state.options.seed);
  state.seenMarket = createSeenMarkets(faults);
  state.edgeCache = createEdgeCache(faults, state.options.elapsed);
}

export function createSandboxState(wanted: SandboxOptions) {
  const options = { ...defaultSettings, ...wanted };
  // Unix seconds on the simulated clock. Trades and blocks occur on full seconds.
  const at = (): number => Math.floor(options.now() / 1000);
  const { seed, dialect, faults } = options;
  return {
    options,
    dialect,
    market: createMarket({ seed }),
    /** The market as requests with a path see it. */
    seenMarket: createSeenMarkets(faults),
    at,
    account: createAccounts(options),
    poolLists: makeRecent<string, () => Work<readonly Pool[]>>(LISTS_KEPT),
    tokenLists: makeRecent<string, () => Work<readonly Token[]>>(LISTS_KEPT),
    dexLists: makeRecent<string, readonly JsonObject[]>(LISTS_KEPT),
    faults: createFaultCounter(faults, seed),
    edgeCache: createEdgeCache(faults, options.elapsed),
  };
}
