import type { Tier } from "../contract/tier.ts";
import { USD_PER_OVERAGE_BLOCK } from "./allowances.ts";
import type { CreditAccount } from "./credit-account.ts";
import { writeInstant } from "./instant.ts";
import type { JsonObject } from "./json-writer.ts";
import { links } from "./links.ts";
import { Refusal } from "./refusal.ts";
import type { Account } from "./accounts.ts";

/** Specification, section Errors: the body of 402, 429 and the 403 of plan and host. */
function billing(
  status: number,
  error: string,
  tier: Tier,
  message: string,
  more: JsonObject,
  headers = {},
): Refusal {
  return new Refusal(status, { error, tier, message, ...more, links: links[tier] }, headers);
}

/** `param`: the query parameter that goes beyond the plan; undefined when the whole endpoint is closed. */
export function planRequired(tier: Tier, requiredTier: "free" | "dev" | "pro", param?: string): Refusal {
  const plans = { free: "a free key or a paid plan", dev: "a Dev or Pro plan", pro: "a Pro plan" }[
    requiredTier
  ];
  const subject = param === undefined ? "this endpoint" : `this ${param}`;
  return billing(403, "plan_required", tier, `${subject} requires ${plans}`, {
    required_tier: requiredTier,
    param,
  });
}

export function wrongHost(tier: Tier): Refusal {
  const right = tier === "free" ? "the free-tier host" : "the paid-tier host";
  return billing(403, "wrong_host", tier, `a ${tier} key belongs to ${right}`, {});
}

/** `waitMs`: until the next request would be served. */
export function rateLimited(tier: Tier, limit: number, waitMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const message = `rate limit of ${limit} requests per minute exceeded; retry after ${seconds} s`;
  return billing(
    429,
    "rate_limited",
    tier,
    message,
    { retry_after: seconds },
    {
      "Retry-After": String(seconds),
      "RateLimit-Limit": String(limit),
      "RateLimit-Remaining": "0",
      "RateLimit-Reset": String(seconds),
    },
  );
}

/**
 * Each tier is told its own way out. Specification, section Errors: resets_at comes with the 402 of Dev and Pro only.
 * `at`: unix seconds.
 */
export function paymentRequired({ tier, credits }: Account, at: number): Refusal {
  const hasReset = tier === "dev" || tier === "pro";
  const isRolling = tier === "keyless" || tier === "free";
  return billing(402, "payment_required", tier, wayOut[tier], {
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
  enterprise: "credits are used up: ask for more, or wait",
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

/** A block is what the next million credits cost. */
export function describeOverage(credits: CreditAccount, at: number): JsonObject {
  return {
    enabled: credits.overageCapUsd !== undefined,
    cap: usd(credits.overageCapUsd ?? 0),
    used: usd(credits.overageUsd(at)),
    block: usd(USD_PER_OVERAGE_BLOCK),
  };
}

/** A decimal string with cents, and down to a twentieth of a credit where it matters. */
function usd(amount: number): string {
  return amount.toFixed(6).replace(/0{1,4}$/, "");
}
