import type { Tier } from "../../contract/tier.ts";
import type { Caller } from "../caller.ts";
import type { Dialect } from "../dialect.ts";
import type { Refusal } from "../refusal.ts";
import { serverStreamLimit, streamLimit } from "./stream-refusals.ts";

/** Specification, Limits: concurrent streams per server, over both hosts. */
const PER_SERVER = 10_000;
/** Specification, Limits: concurrent streams per IP, whatever the tier. */
const PER_IP = 10;
/** Wire-facts 2.2; that of Enterprise is not public. */
const byPlan: Readonly<Record<Tier, number>> = {
  keyless: 10,
  free: 10,
  dev: 30,
  pro: 100,
  enterprise: PER_SERVER,
};

/** How many streams are open, and whose they are. A batch is one stream. */
export class StreamCensus {
  readonly #byOwner = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** The refusal of one stream more. */
  refusal(owner: string, tier: Tier, dialect: Dialect): Refusal | undefined {
    const most = dialect === "spec" ? PER_IP : byPlan[tier];
    if ((this.#byOwner.get(owner) ?? 0) >= most) return streamLimit(tier, dialect);
    return this.#total >= PER_SERVER ? serverStreamLimit(tier, dialect) : undefined;
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

/** Specification: the address owns its streams. The public service counts by account. */
export function streamOwner(caller: Caller, remoteAddress: string, dialect: Dialect): string {
  return dialect === "public" && caller.kind === "keyed" ? caller.key : remoteAddress;
}
