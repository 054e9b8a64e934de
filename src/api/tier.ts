/** In ascending order, as in the specification. */
export const tiers = ["keyless", "free", "dev", "pro", "enterprise"] as const;

export type Tier = (typeof tiers)[number];

export interface Plan {
  readonly tier: Tier;
  /** The pair of hosts that serves this plan. */
  readonly hosts: "free" | "paid";
  /** Undefined if neither the specification nor dexdata sets a limit. */
  readonly requestsPerMinute: number | undefined;
  /** In 30 days, or a billing period; undefined if the contract sets it. Of two specified figures, the newer one. */
  readonly creditsPerMonth: number | undefined;
}

/** Specification, "Limits"; the dev rate comes from wire-facts 2.2. A 429 response or --rpm overrides these rates. */
export const plans: Readonly<Record<Tier, Plan>> = {
  keyless: { tier: "keyless", hosts: "free", requestsPerMinute: 15, creditsPerMonth: 10_000 },
  free: { tier: "free", hosts: "free", requestsPerMinute: 30, creditsPerMonth: 100_000 },
  dev: { tier: "dev", hosts: "paid", requestsPerMinute: 120, creditsPerMonth: 500_000 },
  pro: { tier: "pro", hosts: "paid", requestsPerMinute: 500, creditsPerMonth: 5_000_000 },
  enterprise: { tier: "enterprise", hosts: "paid", requestsPerMinute: undefined, creditsPerMonth: undefined },
};

export function isTier(word: string): word is Tier {
  return tiers.some((tier) => tier === word);
}

export function isAtLeast(tier: Tier, needed: Tier): boolean {
  return tiers.indexOf(tier) >= tiers.indexOf(needed);
}

/** How old a response can be, in seconds: the delay that the service states for each plan (wire-facts 2.2). */
export function answerAge(tier: Tier): number {
  return tier === "keyless" || tier === "free" ? 60 : 0;
}

/** How far back the candles of a plan reach, in seconds (wire-facts 2.2). The other plans have no limit. */
export const candleReach: Partial<Record<Tier, number>> = {
  keyless: 86_400,
  free: 7 * 86_400,
  dev: 30 * 86_400,
};

/** The shortest candles of a plan, in seconds (wire-facts 2.2). The other plans have all. */
export const finestCandles: Partial<Record<Tier, number>> = { keyless: 3600, free: 600 };
