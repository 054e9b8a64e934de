import { createHash } from "node:crypto";
import { plans, type Tier } from "../contract/tier.ts";
import { CreditAccount, RateWindow } from "./meters.ts";
import type { Caller } from "./caller.ts";
import type { SandboxOptions } from "./sandbox-exchange.ts";

/** One caller's meters. */
export interface Account {
  readonly tier: Tier;
  readonly credits: CreditAccount;
  /** Undefined: no limit. */
  readonly rate: RateWindow | undefined;
}

export interface Accounts {
  /** The key's account, or without a key that of the address. */
  readonly of: (caller: Caller, remoteAddress: string) => Account;
  /** Keeps the account while something charges it without a request; call the result when that ends. */
  readonly hold: (account: Account) => () => void;
  /** Number of accounts in memory. */
  readonly size: () => number;
}

interface Entry {
  readonly account: Account;
  /** Real milliseconds of its last request. */
  usedAt: number;
  /** Streams that are open. */
  holds: number;
}

/** The limit for accounts not in use; those in use do not count. */
export const maxAccounts = 10_000;
/** How many are dropped at once, so that not every new account has to search for one. */
const batch = maxAccounts / 10;

/**
 * Every caller has an account, and a key can be any text. To limit memory, accounts with all their credits are dropped
 * first, because opening them again changes nothing, then the least recently used. An account with an open stream, or
 * used within the last minute, is never dropped: its allowances would start over while it is in use.
 */
export function createAccounts(options: SandboxOptions, at: () => number): Accounts {
  // In the order of their last use.
  const entries = new Map<string, Entry>();
  const byAccount = new WeakMap<Account, Entry>();
  const minute = options.minuteMs ?? 60_000;
  let roomUntil = maxAccounts;

  const makeRoom = (now: number): void => {
    const isIdle = ({ usedAt, holds }: Entry): boolean => holds === 0 && now - usedAt >= minute;
    for (const [owner, entry] of entries)
      if (isIdle(entry) && entry.account.credits.used(at()) === 0) entries.delete(owner);
    for (const [owner, entry] of entries) {
      if (entries.size <= maxAccounts - batch) break;
      if (isIdle(entry)) entries.delete(owner);
    }
    roomUntil = Math.max(maxAccounts, entries.size + batch);
  };

  return {
    of: (caller, remoteAddress) => {
      const owner = shortened(caller.kind === "keyed" ? caller.key : remoteAddress);
      const now = options.elapsed();
      const known = entries.get(owner);
      if (known === undefined && entries.size >= roomUntil) makeRoom(now);
      const entry = known ?? { account: openAccount(caller.tier, options), usedAt: now, holds: 0 };
      entry.usedAt = now;
      entries.delete(owner);
      entries.set(owner, entry);
      byAccount.set(entry.account, entry);
      return entry.account;
    },
    hold: (account) => {
      const entry = byAccount.get(account);
      if (entry === undefined) return () => undefined;
      entry.holds += 1;
      return () => {
        entry.holds -= 1;
        entry.usedAt = options.elapsed();
      };
    },
    size: () => entries.size,
  };
}

/** A key may be as long as a header. */
function shortened(owner: string): string {
  return owner.length <= 64 ? owner : createHash("sha256").update(owner).digest("hex");
}

function openAccount(tier: Tier, options: SandboxOptions): Account {
  const { requestsPerMinute = plans[tier].requestsPerMinute ?? Number.POSITIVE_INFINITY } = options;
  const isLimited = requestsPerMinute !== Number.POSITIVE_INFINITY;
  const rate = isLimited ? new RateWindow(requestsPerMinute, options.minuteMs ?? 60_000) : undefined;
  return { tier, credits: new CreditAccount(tier, options), rate };
}
