import { paymentRequired, rateLimited, wrongHost } from "./billing-refusals.ts";
import type { Caller } from "./caller.ts";
import { isPaidHost, type SandboxHost } from "./exchange.ts";
import { planRefusal } from "./plan-rules.ts";
import type { Query } from "./query.ts";
import { refuse, type Refusal } from "./refusal.ts";
import type { Route } from "./routes.ts";
import type { Account } from "./accounts.ts";

/** What the guards look at; removed paths have been answered before. */
export interface Arrival {
  readonly host: SandboxHost;
  readonly caller: Caller;
  readonly account: Account;
  readonly route: Route | undefined;
  /** What the caller's plan does not include of a stream; that of an endpoint follows from its route. */
  readonly streamPlan?: Refusal | undefined;
  readonly query: Query;
  /** Credits the answer will cost when all goes well. */
  readonly cost: number;
  /** Unix seconds of the simulated clock. */
  readonly at: number;
  /** Real milliseconds. */
  readonly elapsed: number;
}

/**
 * The first refusal of: key, host, plan, rate, credits. A plan's refusal stands whatever credits are left, and only
 * a request that passes the first three takes a place in the minute.
 */
export function guard(arrival: Arrival): Refusal | undefined {
  return keyRefusal(arrival) ?? hostRefusal(arrival) ?? plan(arrival) ?? rate(arrival) ?? credits(arrival);
}

/** Specification, Authentication 3 and 4: a paid host needs the header on every request, the root path included. */
function keyRefusal({ host, caller }: Arrival): Refusal | undefined {
  if (caller.kind === "invalid") {
    return refuse(401, "invalid_api_key", "invalid API key: send the bare key as the Authorization header");
  }
  if (caller.kind === "keyless" && isPaidHost(host)) {
    return refuse(401, "unauthorized", "missing Authorization header");
  }
  return undefined;
}

/** Specification, Authentication 5: a right key on the wrong host, in both directions. */
function hostRefusal({ host, caller }: Arrival): Refusal | undefined {
  if (caller.kind !== "keyed") return undefined;
  return isPaidHost(host) === (caller.tier !== "free") ? undefined : wrongHost(caller.tier);
}

function plan({ route, streamPlan, query, caller, at }: Arrival): Refusal | undefined {
  return route === undefined ? streamPlan : planRefusal(route.endpoint, query, caller.tier, at);
}

function rate({ account, elapsed }: Arrival): Refusal | undefined {
  if (account.rate === undefined) return undefined;
  const wait = account.rate.take(elapsed);
  return wait === 0 ? undefined : rateLimited(account.tier, account.rate.limit, wait);
}

function credits({ account, cost, at }: Arrival): Refusal | undefined {
  return account.credits.canPay(cost, at) ? undefined : paymentRequired(account, at);
}
