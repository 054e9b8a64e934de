import { createHash } from "node:crypto";
import { plans, type Tier } from "../contract/tier.ts";
import { CreditAccount, RateWindow } from "./meters.ts";
import type { Caller } from "./caller.ts";
import type { SandboxOptions } from "./sandbox-exchange.ts";

export interface Account {
  readonly tier: Tier;
  readonly credits: CreditAccount;
  /** Undefined means no limit. */
  readonly rate: RateWindow | undefined;
}

export interface Accounts {
  /** A request without a key is charged to the remote address. */
  readonly of: (caller: Caller, remoteAddress: string) => Account;
  /** Keeps the account in memory while a stream charges it. Call the returned function when the stream ends. */
  readonly hold: (account: Account) => () => void;
  readonly size: () => number;
}

interface Entry {
  readonly account: Account;
  /** Real milliseconds. */
  usedAt: number;
  holds: number;
}

/** Accounts in use do not count. */
export const maxAccounts = 10_000;
/** Accounts are dropped in batches, so that not every new account triggers a search. */
const batch = maxAccounts / 10;

/**
 * A key can be any text, so memory must be limited. Accounts without charges are dropped first, because recreating them
 * changes nothing, followed by the least recently used ones. An open stream or a request within the last minute keeps
 * an account, because dropping it would reset limits that are in use.
 */
export function createAccounts(options: SandboxOptions, at: () => number): Accounts {
  // Ordered by time of last use.
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

/** A key may be as long as a header allows. */
function shortened(owner: string): string {
  return owner.length <= 64 ? owner : createHash("sha256").update(owner).digest("hex");
}

function openAccount(tier: Tier, options: SandboxOptions): Account {
  const { requestsPerMinute = plans[tier].requestsPerMinute ?? Number.POSITIVE_INFINITY } = options;
  const isLimited = requestsPerMinute !== Number.POSITIVE_INFINITY;
  const rate = isLimited ? new RateWindow(requestsPerMinute, options.minuteMs ?? 60_000) : undefined;
  return { tier, credits: new CreditAccount(tier, options), rate };
}
