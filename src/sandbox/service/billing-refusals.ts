import type { Tier } from "../../api/tier.ts";
import { type CreditAccount, USD_PER_OVERAGE_BLOCK } from "./meters.ts";
import { writeInstant } from "../wire/request-times.ts";
import type { JsonObject } from "../wire/json-writer.ts";
import { documentation, Refusal } from "../wire/service-refusal.ts";
import type { Account } from "./accounts.ts";

const console = "https://console.dexpaprika.com";
const pricing = "https://dexpaprika.com/api/pricing";

/** Specification, "Errors" section, `links`. The sandbox does not contact these hosts. */
const links: Readonly<Record<Tier, Readonly<Record<string, string>>>> = {
  keyless: { register: console, docs: documentation, pricing, coupon: `${pricing}?coupon=START10` },
  free: { upgrade: console, usage: `${console}/usage`, docs: documentation, pricing },
  dev: { portal: `${console}/billing`, upgrade: console, usage: `${console}/usage`, docs: documentation },
  pro: { portal: `${console}/billing`, packs: `${console}/packs`, usage: `${console}/usage` },
  enterprise: { portal: `${console}/billing`, usage: `${console}/usage` },
};

/** Specification, "Errors" section: a 402, a 429, or a plan or host 403, with links. */
export function billing(status: number, body: JsonObject & { readonly tier: Tier }, headers = {}): Refusal {
  return new Refusal(status, { ...body, links: links[body.tier] }, headers);
}

/** `param` is the query parameter that exceeds the plan; undefined if the entire endpoint does. */
export function planRequired(tier: Tier, requiredTier: keyof typeof plansFrom, param?: string): Refusal {
  const subject = param === undefined ? "this endpoint" : `this ${param}`;
  const message = `${subject} requires ${plansFrom[requiredTier]}`;
  return billing(403, { error: "plan_required", tier, message, required_tier: requiredTier, param });
}

const plansFrom = { free: "a free key or a paid plan", dev: "a Dev or Pro plan", pro: "a Pro plan" };

export function wrongHost(tier: Tier): Refusal {
  const right = tier === "free" ? "the free-tier host" : "the paid-tier host";
  return billing(403, { error: "wrong_host", tier, message: `${tier} keys belong to ${right}` });
}

export function rateLimited(tier: Tier, limit: number, seconds: number): Refusal {
  const message = `rate limit of ${limit} requests per minute exceeded; retry after ${seconds} s`;
  const headers = {
    "Retry-After": String(seconds),
    "RateLimit-Limit": String(limit),
    "RateLimit-Remaining": "0",
    "RateLimit-Reset": String(seconds),
  };
  return billing(429, { error: "rate_limited", tier, message, retry_after: seconds }, headers);
}

/** Specification, "Errors" section: only dev and pro have `resets_at`. `at` is in Unix seconds. */
export function paymentRequired({ tier, credits }: Account, at: number): Refusal {
  const hasReset = tier === "dev" || tier === "pro";
  const isRolling = tier === "keyless" || tier === "free";
  return billing(402, {
    error: "payment_required",
    tier,
    message: wayOut[tier],
    credits: describeCredits(tier, credits, at),
    overage: tier === "pro" ? describeOverage(credits, at) : undefined,
    resets_at: hasReset ? writeInstant(credits.resetsAt(at)) : undefined,
    offer: isRolling
      ? { description: "first month of Dev at half price", expires_at: writeInstant(at + 7 * 86_400) }
      : undefined,
  });
}

const paid = "credits of this billing period are used up: enable overage and raise the spend cap, or wait";

const wayOut: Readonly<Record<Tier, string>> = {
  keyless: "credits are used up: register for a free key",
  free: "credits are used up: upgrade to a paid plan",
  dev: paid,
  pro: paid,
  enterprise: "credits are used up: request more, or wait",
};

export function describeCredits(tier: Tier, credits: CreditAccount, at: number): JsonObject {
  return {
    plan: tier === "pro" ? credits.plan : undefined,
    packs: tier === "pro" ? credits.packs : undefined,
    limit: credits.limit,
    used: credits.used(at),
    remaining: credits.remaining(at),
  };
}

/** `block` is the price of the next million credits. */
export function describeOverage(credits: CreditAccount, at: number): JsonObject {
  return {
    enabled: credits.overageCapUsd !== undefined,
    cap: usd(credits.overageCapUsd ?? 0),
    used: usd(credits.overageUsd(at)),
    block: usd(USD_PER_OVERAGE_BLOCK),
  };
}

/** Two decimals, or up to six if the others are not zero. */
function usd(amount: number): string {
  return amount.toFixed(6).replace(/0{1,4}$/, "");
}
