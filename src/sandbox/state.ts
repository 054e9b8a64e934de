import { type Accounts, createAccounts } from "./accounts.ts";
import { createFaultCounter, type FaultCounter } from "./faults/due-faults.ts";
import type { JsonObject } from "./json-writer.ts";
import { createMarket } from "./market/market.ts";
import { makeRecent, type Recent } from "./market/recent.ts";
import type { Market, PoolFacts, TokenFacts } from "./market/types.ts";
import type { Work } from "./work.ts";
import type { Dialect, SandboxOptions } from "./sandbox-exchange.ts";

/** Recent sorted search results, keyed by their parameters, so the next page does not sort again. */
export type RecentLists<T> = Recent<string, () => Work<readonly T[]>>;

const LISTS_KEPT = 32;

export interface SandboxState {
  readonly options: SandboxOptions;
  readonly dialect: Dialect;
  readonly market: Market;
  /** Unix seconds on the simulated clock. Trades and blocks occur on full seconds. */
  readonly at: () => number;
  readonly account: Accounts["of"];
  readonly holdAccount: Accounts["hold"];
  readonly poolLists: RecentLists<PoolFacts>;
  readonly tokenLists: RecentLists<TokenFacts>;
  readonly dexLists: Recent<string, readonly JsonObject[]>;
  readonly faults: FaultCounter | undefined;
}

export function createSandboxState(options: SandboxOptions): SandboxState {
  const at = (): number => Math.floor(options.now() / 1000);
  const accounts = createAccounts(options, at);
  return {
    options,
    dialect: options.dialect ?? "spec",
    market: createMarket({ seed: options.seed ?? 1 }),
    at,
    account: accounts.of,
    holdAccount: accounts.hold,
    poolLists: makeRecent(LISTS_KEPT),
    tokenLists: makeRecent(LISTS_KEPT),
    dexLists: makeRecent(LISTS_KEPT),
    faults: options.faults && createFaultCounter(options.faults, options.seed ?? 1),
  };
}
