import { type Accounts, createAccounts } from "./accounts.ts";
import { createTokenVolumes, type TokenVolumes } from "./answers/token-volumes.ts";
import type { Dialect } from "./dialect.ts";
import type { SandboxOptions } from "./exchange.ts";
import { createFaultCounter, type FaultCounter } from "./faults/fault-counter.ts";
import { createMarket } from "./market/market.ts";
import type { JsonObject } from "./json-writer.ts";
import type { Market, PoolFacts, TokenFacts } from "./market/types.ts";
import { RecentLists } from "./recent-lists.ts";

/** Everything a sandbox remembers between two requests: meters, and what it may compute again at any time. */
export interface SandboxState {
  readonly options: SandboxOptions;
  readonly dialect: Dialect;
  readonly market: Market;
  /** Unix seconds of the simulated clock; trades and blocks fall on whole seconds. */
  readonly at: () => number;
  /** The key's account, or without a key that of the address. */
  readonly account: Accounts["of"];
  readonly holdAccount: Accounts["hold"];
  /** What the last searches found, in their order, so that the next page need not sort again. */
  readonly poolLists: RecentLists<PoolFacts>;
  readonly tokenLists: RecentLists<TokenFacts>;
  readonly dexLists: RecentLists<JsonObject>;
  readonly tokenVolumes: TokenVolumes;
  /** Undefined where nothing is to go wrong. */
  readonly faults: FaultCounter | undefined;
}

export function createSandboxState(options: SandboxOptions): SandboxState {
  const at = (): number => Math.floor(options.now() / 1000);
  const accounts = createAccounts(options, at);
  let market: Market | undefined;
  return {
    options,
    dialect: options.dialect ?? "spec",
    get market() {
      market ??= createMarket({ seed: options.seed ?? 1 });
      return market;
    },
    at,
    account: accounts.of,
    holdAccount: accounts.hold,
    poolLists: new RecentLists(16),
    tokenLists: new RecentLists(16),
    dexLists: new RecentLists(16),
    tokenVolumes: createTokenVolumes(),
    faults: options.faults && createFaultCounter(options.faults, options.seed ?? 1),
  };
}
