import { createHash } from "node:crypto";
import { isTier, plans, type Tier } from "../../api/tier.ts";
import { CreditAccount, RateWindow } from "./meters.ts";
import type { Accounting, Dialect, SandboxHost, SandboxSettings } from "../sandbox-exchange.ts";

export type Caller =
  | { readonly kind: "keyless"; readonly tier: "keyless" }
  | { readonly kind: "keyed"; readonly tier: KeyedTier; readonly key: string }
  /** The header does not contain a key for this service. The caller counts as keyless. */
  | { readonly kind: "invalid"; readonly tier: "keyless" };

export type KeyedTier = Exclude<Tier, "keyless">;

/** Each distinct text after the tier is a separate account. */
export const sandboxKeys: Readonly<Record<KeyedTier, string>> = {
  free: "api_free_sandbox",
  dev: "api_dev_sandbox",
  pro: "api_pro_sandbox",
  enterprise: "api_enterprise_sandbox",
};

const keyless: Caller = { kind: "keyless", tier: "keyless" };
const invalid: Caller = { kind: "invalid", tier: "keyless" };

/** Specification, Authentication 3: the key is the entire header value, without a scheme before it. */
export function identify(authorization: string | undefined, host: SandboxHost, dialect: Dialect): Caller {
  // The public service's free REST host strips `Bearer`, ignoring case (wire-facts 2.1).
  const value =
    dialect === "public" && host === "rest_free" ? authorization?.replace(/^bearer +/i, "") : authorization;
  if (value === undefined || value === "") return keyless;
  const [, tier = ""] = /^api_([a-z]+)_[!-~]+$/.exec(value) ?? [];
  return isTier(tier) && tier !== "keyless" ? { kind: "keyed", tier, key: value } : invalid;
}

/** Wire-facts 1: a filter in front of the public service's paid hosts rejects callers without a key. */
export function blockedPage(caller: Caller, dialect: Dialect): string | undefined {
  if (dialect === "spec" || caller.kind !== "keyless") return undefined;
  return "<!DOCTYPE html><html><head><title>You have been blocked</title></head><body></body></html>";
}

/** Returns the value to log instead of the key, which must not appear in logs. */
export function keyOf(caller: Caller): Accounting["key"] {
  if (caller.kind === "keyed") return caller.tier;
  return caller.kind === "invalid" ? "invalid" : "none";
}

export type Account = ReturnType<typeof openAccount>;
export type Accounts = ReturnType<typeof createAccounts>;

/** Accounts in use do not count. */
export const maxAccounts = 10_000;
/** Accounts are dropped in batches, so that not every new account triggers a search. */
const batch = maxAccounts / 10;

/**
 * A key can be any text, so memory must be limited. Accounts without charges are dropped first, because recreating them
 * changes nothing, followed by the least recently used ones. An open stream or a request within the last minute keeps
 * an account, because dropping it would reset limits that are in use.
 */
export function createAccounts(options: Omit<SandboxSettings, "now">, at: () => number) {
  // Ordered by time of last use.
  const accounts = new Map<string, Account>();
  const minute = options.minuteMs;
  let roomUntil = maxAccounts;

  const makeRoom = (now: number): void => {
    const isIdle = ({ usedAt, holds }: Account): boolean => holds === 0 && now - usedAt >= minute;
    for (const [owner, account] of accounts)
      if (isIdle(account) && account.credits.used(at()) === 0) accounts.delete(owner);
    for (const [owner, account] of accounts) {
      if (accounts.size <= maxAccounts - batch) break;
      if (isIdle(account)) accounts.delete(owner);
    }
    roomUntil = Math.max(maxAccounts, accounts.size + batch);
  };

  return {
    /** A request without a key is charged to the remote address. */
    of: (caller: Caller, remoteAddress: string): Account => {
      const owner = shortened(caller.kind === "keyed" ? caller.key : remoteAddress);
      const now = options.elapsed();
      const known = accounts.get(owner);
      if (known === undefined && accounts.size >= roomUntil) makeRoom(now);
      const account = known ?? openAccount(caller.tier, options);
      account.usedAt = now;
      accounts.delete(owner);
      accounts.set(owner, account);
      return account;
    },
    /** Keeps the account in memory while a stream charges it. Call the returned function when the stream ends. */
    hold: (account: Account): (() => void) => {
      account.holds += 1;
      return () => {
        account.holds -= 1;
        account.usedAt = options.elapsed();
      };
    },
    size: () => accounts.size,
  };
}

/** A key may be as long as a header allows. */
function shortened(owner: string): string {
  return owner.length <= 64 ? owner : createHash("sha256").update(owner).digest("hex");
}

/** `usedAt` is in real milliseconds. Without `rate`, the number of requests is not limited. */
export function openAccount(tier: Tier, options: Omit<SandboxSettings, "now" | "elapsed">) {
  const { requestsPerMinute = plans[tier].requestsPerMinute ?? Number.POSITIVE_INFINITY } = options;
  const isLimited = requestsPerMinute !== Number.POSITIVE_INFINITY;
  const rate = isLimited ? new RateWindow(requestsPerMinute, options.minuteMs) : undefined;
  return { tier, credits: new CreditAccount(tier, options), rate, usedAt: 0, holds: 0 };
}
