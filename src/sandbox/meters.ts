import type { Tier } from "../contract/tier.ts";

/** What a tier may spend, from the specification, section Limits; where it has two figures, the newer one. */
interface Allowance {
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

const CREDITS_PER_OVERAGE_BLOCK = 1_000_000;
export const USD_PER_OVERAGE_BLOCK = 20;

/** What the owner of the sandbox set beside each tier's own figures. */
interface CreditTerms {
  readonly credits?: number | undefined;
  readonly packs?: number | undefined;
  readonly overageCapUsd?: number | undefined;
}

const ROLLING_SECONDS = 30 * 86_400;

/** The credits of one key, or of one address without a key. All instants are unix seconds of the simulated clock. */
export class CreditAccount {
  readonly plan: number;
  readonly packs: number;
  /** Undefined where overage is off. */
  readonly overageCapUsd: number | undefined;
  readonly #isRolling: boolean;
  /** Oldest first. Charges of one second are one entry; those of a billing period are one, as they return together. */
  #charges: { readonly at: number; credits: number }[] = [];
  #used = 0;

  constructor(tier: Tier, terms: CreditTerms) {
    const allowance = allowances[tier];
    this.plan = terms.credits ?? allowance.credits;
    this.packs = tier === "pro" ? (terms.packs ?? 0) : 0;
    this.overageCapUsd = tier === "pro" ? terms.overageCapUsd : undefined;
    this.#isRolling = allowance.renewal === "rolling";
  }

  get limit(): number {
    return this.plan + this.packs;
  }

  used(at: number): number {
    this.#forget(at);
    return this.#used;
  }

  remaining(at: number): number {
    return Math.max(0, this.limit - this.used(at));
  }

  /** USD spent beyond plan and packs. */
  overageUsd(at: number): number {
    const beyond = Math.max(0, this.used(at) - this.limit);
    return (beyond / CREDITS_PER_OVERAGE_BLOCK) * USD_PER_OVERAGE_BLOCK;
  }

  canPay(credits: number, at: number): boolean {
    const cap = ((this.overageCapUsd ?? 0) / USD_PER_OVERAGE_BLOCK) * CREDITS_PER_OVERAGE_BLOCK;
    return this.used(at) + credits <= this.limit + cap;
  }

  /** Negative to give back what an answer turned out not to cost. */
  charge(credits: number, at: number): void {
    if (credits === 0) return;
    this.#forget(at);
    const last = this.#charges.at(-1);
    if (last !== undefined && (last.at === at || !this.#isRolling)) last.credits += credits;
    else this.#charges.push({ at, credits });
    this.#used += credits;
  }

  /** When credits come back: the end of the billing period, or when the oldest use is 30 days old. */
  resetsAt(at: number): number {
    if (!this.#isRolling) return endOfPeriod(at);
    this.#forget(at);
    return (this.#charges[0]?.at ?? at) + ROLLING_SECONDS;
  }

  #forget(at: number): void {
    const first = this.#isRolling ? at - ROLLING_SECONDS + 1 : startOfPeriod(at);
    let old = 0;
    while ((this.#charges[old]?.at ?? Number.POSITIVE_INFINITY) < first) old += 1;
    for (const charge of this.#charges.splice(0, old)) this.#used -= charge.credits;
  }
}

/** Billing periods are calendar months in UTC. */
function startOfPeriod(at: number): number {
  const date = new Date(at * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000;
}

function endOfPeriod(at: number): number {
  const date = new Date(at * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000;
}

/** The requests of one account within the last minute, whose length is real time. */
export class RateWindow {
  readonly limit: number;
  readonly #milliseconds: number;
  #times: number[] = [];

  constructor(limit: number, milliseconds: number) {
    this.limit = limit;
    this.#milliseconds = milliseconds;
  }

  /**
   * Takes a place in the window, or says how many milliseconds it is until one is free. A refused request takes
   * none, so that a caller who waits as told is served.
   */
  take(elapsed: number): number {
    const free = this.#times.findIndex((time) => time > elapsed - this.#milliseconds);
    if (free === -1) this.#times = [];
    else if (free > 0) this.#times.splice(0, free);
    const oldest = this.#times[0];
    if (this.#times.length < this.limit || oldest === undefined) {
      this.#times.push(elapsed);
      return 0;
    }
    return oldest + this.#milliseconds - elapsed;
  }
}
