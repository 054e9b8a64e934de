import type { Tier } from "../contract/tier.ts";
import { allowances, CREDITS_PER_OVERAGE_BLOCK, USD_PER_OVERAGE_BLOCK } from "./allowances.ts";

/** What the owner of the sandbox set beside each tier's own figures. */
export interface CreditTerms {
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
