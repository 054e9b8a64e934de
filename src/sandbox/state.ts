import type { Tier } from "../model/tier.ts";
import { createTokenVolumes, type TokenVolumes } from "./answers/token-volumes.ts";
import { allowances } from "./allowances.ts";
import type { Caller } from "./caller.ts";
import { CreditAccount } from "./credit-account.ts";
import type { Dialect } from "./dialect.ts";
import type { SandboxOptions } from "./exchange.ts";
import { createFaultCounter, type FaultCounter } from "./faults/fault-counter.ts";
import { createMarket } from "./market/market.ts";
import type { JsonObject } from "./json-writer.ts";
import type { Market, PoolFacts, TokenFacts } from "./market/types.ts";
import { RateWindow } from "./rate-window.ts";
import { RecentLists } from "./recent-lists.ts";

/** One caller's meters. */
export interface Account {
  readonly tier: Tier;
  readonly credits: CreditAccount;
  /** Undefined: no limit. */
  readonly rate: RateWindow | undefined;
}

/** Everything a sandbox remembers between two requests: meters, and what it may compute again at any time. */
export interface SandboxState {
  readonly options: SandboxOptions;
  readonly dialect: Dialect;
  readonly market: Market;
  /** Unix seconds of the simulated clock; trades and blocks fall on whole seconds. */
  readonly at: () => number;
  /** The key's account, or without a key that of the address. */
  readonly account: (caller: Caller, remoteAddress: string) => Account;
  /** What the last searches found, in their order, so that the next page need not sort again. */
  readonly poolLists: RecentLists<PoolFacts>;
  readonly tokenLists: RecentLists<TokenFacts>;
  readonly dexLists: RecentLists<JsonObject>;
  readonly tokenVolumes: TokenVolumes;
  /** Undefined where nothing is to go wrong. */
  readonly faults: FaultCounter | undefined;
}

export function createSandboxState(options: SandboxOptions): SandboxState {
  const accounts = new Map<string, Account>();
  let market: Market | undefined;
  return {
    options,
    dialect: options.dialect ?? "spec",
    get market() {
      market ??= createMarket({ seed: options.seed ?? 1 });
      return market;
    },
    at: () => Math.floor(options.now() / 1000),
    account(caller, remoteAddress) {
      const owner = caller.kind === "keyed" ? caller.key : remoteAddress;
      const known = accounts.get(owner);
      if (known !== undefined) return known;
      const opened = openAccount(caller.tier, options);
      accounts.set(owner, opened);
      return opened;
    },
    poolLists: new RecentLists(16),
    tokenLists: new RecentLists(16),
    dexLists: new RecentLists(16),
    tokenVolumes: createTokenVolumes(),
    faults: options.faults && createFaultCounter(options.faults, options.seed ?? 1),
  };
}

function openAccount(tier: Tier, options: SandboxOptions): Account {
  const perMinute = options.requestsPerMinute ?? allowances[tier].requestsPerMinute;
  return {
    tier,
    credits: new CreditAccount(tier, options),
    rate:
      perMinute === undefined || perMinute === Number.POSITIVE_INFINITY
        ? undefined
        : new RateWindow(perMinute, options.minuteMs ?? 60_000),
  };
}
