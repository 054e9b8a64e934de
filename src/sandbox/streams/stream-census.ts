import type { Tier } from "../../api/tier.ts";
import { connectionsOfPlan } from "../../api/feed.ts";
import { billing } from "../service/billing-refusals.ts";
import type { Caller } from "../service/caller.ts";
import type { Dialect } from "../sandbox-exchange.ts";
import type { Refusal } from "../wire/service-refusal.ts";

/** Specification, Limits: concurrent streams per server, across both hosts. */
const PER_SERVER = 10_000;
/** Specification, Limits: concurrent streams per IP address, regardless of tier. */
const PER_IP = 10;
/** Wire-facts 2.2. The enterprise plan's limit is not public. */
const byPlan: Readonly<Record<Tier, number>> = { ...connectionsOfPlan, enterprise: PER_SERVER };

/** Specification, Events 3, and wire-facts 5.7. */
const tooManyOfOwner: Readonly<Record<Dialect, string>> = {
  spec: "ip stream limit exceeded",
  public: "Concurrent stream limit reached for your plan. Close an open stream before starting another.",
};

/** Seconds. When another stream will end is unknown, so this only sets how often clients retry. */
const RETRY_AFTER = 5;

/** A batch counts as one stream. */
export class StreamCensus {
  readonly #byOwner = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** Undefined if the limits allow another stream. */
  refusal(owner: string, tier: Tier, dialect: Dialect): Refusal | undefined {
    const most = dialect === "spec" ? PER_IP : byPlan[tier];
    if ((this.#byOwner.get(owner) ?? 0) >= most) return tooMany(tier, tooManyOfOwner[dialect], dialect);
    return this.#total >= PER_SERVER ? tooMany(tier, "global stream limit exceeded", dialect) : undefined;
  }

  enter(owner: string): void {
    this.#total += 1;
    this.#byOwner.set(owner, (this.#byOwner.get(owner) ?? 0) + 1);
  }

  leave(owner: string): void {
    this.#total -= 1;
    const left = (this.#byOwner.get(owner) ?? 1) - 1;
    if (left === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, left);
  }
}

/** Specification: streams are counted per IP address. The public service counts them per account. */
export function streamOwner(caller: Caller, remoteAddress: string, dialect: Dialect): string {
  return dialect === "public" && caller.kind === "keyed" ? caller.key : remoteAddress;
}

/** Specification, Status codes: a 429 has Retry-After. The public service omits that header. */
function tooMany(tier: Tier, message: string, dialect: Dialect): Refusal {
  const retryAfter = dialect === "spec" ? RETRY_AFTER : undefined;
  const headers = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  return billing(429, { error: "rate_limited", tier, message, retry_after: retryAfter }, headers);
}
