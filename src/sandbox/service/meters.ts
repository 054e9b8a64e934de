import { plans, type Tier } from "../../api/tier.ts";
import type { SandboxSettings } from "../sandbox-exchange.ts";

/** Credits of these plans return one by one after 30 days; others return all at once when the billing period ends. */
export const rollingTiers: ReadonlySet<Tier> = new Set(["keyless", "free"]);

/** The specification leaves the enterprise plan's number to the contract, so it is higher than any test spends. */
const CONTRACT_CREDITS = 100_000_000;

const CREDITS_PER_OVERAGE_BLOCK = 1_000_000;
export const USD_PER_OVERAGE_BLOCK = 20;

const ROLLING_SECONDS = 30 * 86_400;

/** All times are in Unix seconds on the simulated clock. */
export class CreditAccount {
  readonly plan: number;
  readonly packs: number;
  /** Undefined if overage is disabled. */
  readonly overageCapUsd: number | undefined;
  readonly #isRolling: boolean;
  /** Oldest first. Charges share an entry if they are returned together: all in the same second or billing period. */
  #charges: { readonly at: number; credits: number }[] = [];
  #used = 0;

  constructor(tier: Tier, terms: Pick<SandboxSettings, "credits" | "packs" | "overageCapUsd">) {
    this.plan = terms.credits ?? plans[tier].creditsPerMonth ?? CONTRACT_CREDITS;
    this.packs = tier === "pro" ? terms.packs : 0;
    this.overageCapUsd = tier === "pro" ? terms.overageCapUsd : undefined;
    this.#isRolling = rollingTiers.has(tier);
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

  /** USD spent beyond the plan and packs. */
  overageUsd(at: number): number {
    const beyond = Math.max(0, this.used(at) - this.limit);
    return (beyond / CREDITS_PER_OVERAGE_BLOCK) * USD_PER_OVERAGE_BLOCK;
  }

  canPay(credits: number, at: number): boolean {
    const cap = ((this.overageCapUsd ?? 0) / USD_PER_OVERAGE_BLOCK) * CREDITS_PER_OVERAGE_BLOCK;
    return this.used(at) + credits <= this.limit + cap;
  }

  /** A negative number refunds credits that a response did not cost. */
  charge(credits: number, at: number): void {
    if (credits === 0) return;
    this.#forget(at);
    const last = this.#charges.at(-1);
    if (last !== undefined && (last.at === at || !this.#isRolling)) last.credits += credits;
    else this.#charges.push({ at, credits });
    this.#used += credits;
  }

  /** The end of the billing period, or when the oldest charge is 30 days old. */
  resetsAt(at: number): number {
    if (!this.#isRolling) return startOfPeriod(at, 1);
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

/** Billing periods are UTC calendar months. */
function startOfPeriod(at: number, ahead = 0): number {
  const date = new Date(at * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead, 1) / 1000;
}

/** Counts an account's requests within the last minute, in real time. */
export class RateWindow {
  readonly limit: number;
  readonly #milliseconds: number;
  #times: number[] = [];

  constructor(limit: number, milliseconds: number) {
    this.limit = limit;
    this.#milliseconds = milliseconds;
  }

  /** Returns 0, or the milliseconds until there is room. A rejected request does not take up room. */
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
