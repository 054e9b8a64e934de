import type { Tier } from "../contract/tier.ts";

/** What a tier may spend, from the specification, section Limits; where it has two figures, the newer one. */
export interface Allowance {
  /** Undefined: no limit. */
  readonly requestsPerMinute: number | undefined;
  readonly credits: number;
  /** Whether credits come back one by one after 30 days, or all at once when a billing period ends. */
  readonly renewal: "rolling" | "period";
}

export const allowances: Readonly<Record<Tier, Allowance>> = {
  keyless: { requestsPerMinute: 15, credits: 10_000, renewal: "rolling" },
  free: { requestsPerMinute: 30, credits: 100_000, renewal: "rolling" },
  dev: { requestsPerMinute: 120, credits: 500_000, renewal: "period" },
  pro: { requestsPerMinute: 500, credits: 5_000_000, renewal: "period" },
  // The specification leaves both to the contract: no rate, and more credits than a test will spend.
  enterprise: { requestsPerMinute: undefined, credits: 100_000_000, renewal: "period" },
};

export const CREDITS_PER_OVERAGE_BLOCK = 1_000_000;
export const USD_PER_OVERAGE_BLOCK = 20;
