/** The five kinds of caller the specification knows, in ascending order. */
export const tiers = ["keyless", "free", "dev", "pro", "enterprise"] as const;

export type Tier = (typeof tiers)[number];

export interface Plan {
  readonly tier: Tier;
  /** Which pair of hosts serves it. */
  readonly hosts: "free" | "paid";
  /** Requests per minute; undefined where the specification names none and none is assumed. */
  readonly requestsPerMinute: number | undefined;
}

/** Source: specification, Limits; Dev's rate from wire-facts 2.2. Rates are corrected by a 429 or --rpm. */
export const plans: Readonly<Record<Tier, Plan>> = {
  keyless: { tier: "keyless", hosts: "free", requestsPerMinute: 15 },
  free: { tier: "free", hosts: "free", requestsPerMinute: 30 },
  dev: { tier: "dev", hosts: "paid", requestsPerMinute: 120 },
  pro: { tier: "pro", hosts: "paid", requestsPerMinute: 500 },
  enterprise: { tier: "enterprise", hosts: "paid", requestsPerMinute: undefined },
};

export function isTier(word: string): word is Tier {
  return tiers.some((tier) => tier === word);
}
