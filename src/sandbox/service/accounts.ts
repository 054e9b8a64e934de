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

/** A request without a key is charged to the remote address. */
export function createAccounts(options: Omit<SandboxSettings, "now" | "elapsed">) {
  const accounts = new Map<string, Account>();
  return (caller: Caller, remoteAddress: string): Account => {
    const owner = caller.kind === "keyed" ? caller.key : remoteAddress;
    const account = accounts.get(owner) ?? openAccount(caller.tier, options);
    accounts.set(owner, account);
    return account;
  };
}

/** Without `rate`, the number of requests is not limited. */
export function openAccount(tier: Tier, options: Omit<SandboxSettings, "now" | "elapsed">) {
  const { requestsPerMinute = plans[tier].requestsPerMinute ?? Number.POSITIVE_INFINITY } = options;
  const isLimited = requestsPerMinute !== Number.POSITIVE_INFINITY;
  const rate = isLimited ? new RateWindow(requestsPerMinute, options.minuteMs) : undefined;
  return { tier, credits: new CreditAccount(tier, options), rate };
}
