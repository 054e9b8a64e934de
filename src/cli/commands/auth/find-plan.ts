import type { Target } from "../../../client/target.ts";
import { creditsIn, type Meter } from "../../../client/meter.ts";
import { usage } from "../../../api/endpoints/whole-service.ts";
import { failAsService } from "../../../api/service-errors.ts";
import { Failure } from "../../../base/failure.ts";
import { isTier, plans, type Tier } from "../../../api/tier.ts";
import { rawAt } from "../../../base/json/path-reader.ts";
import { member } from "../../../base/json/json-scan.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { Run } from "../../run/with-run.ts";
import { type FoundKey, pairOf } from "../../settings/find-key.ts";
import { shortened } from "../../../base/text/words.ts";

export type SentKey = Pick<FoundKey, "key" | "source">;

/** A plan of the free hosts and one of the paid hosts. */
type HostTier = "free" | "pro";

export interface SeenPlan {
  /** The service's own word, in lower case; undefined if it named no plan. */
  readonly plan: string | undefined;
  /** Undefined if dexdata does not know the plan. */
  readonly tier: Tier | undefined;
  /** The digits as the service sent them. */
  readonly creditsLeft: string | undefined;
}

/** Set if the plan was known before. */
interface Known {
  readonly host: HostTier;
  /** The key may be sent to the other host, too. */
  readonly mayAskOther: boolean;
}

/**
 * Sends a request to one host, and also to the other one unless the first accepts the key with a plan that it serves.
 * If the plan was known, other failures of the known host than 403 are not about the plan, and are thrown. Throws if no
 * host accepts the key.
 */
export async function findPlan(run: Run, sent: SentKey, known?: Known): Promise<SeenPlan> {
  const { host: first, mayAskOther } = known ?? { host: "free", mayAskOther: true };
  const other = otherHost(first);
  const isOneHost = hostsOf(run.options, first).rest === hostsOf(run.options, other).rest;
  const accepted: SeenPlan[] = [];
  const failures: Failure[] = [];
  for (const tier of mayAskOther && !isOneHost ? [first, other] : [first]) {
    const seen = await askHost(run, sent, tier);
    if (seen === undefined) continue;
    if (!(seen instanceof Failure)) {
      if (seen.tier !== undefined && plans[seen.tier].hosts === plans[tier].hosts) return seen;
      accepted.push(seen);
    } else if (known?.host === tier && seen.details.status !== 403) throw seen;
    else failures.push(seen);
  }
  const found = accepted.find(({ tier }) => tier !== undefined) ?? accepted[0];
  if (found === undefined) throw notAccepted(run.options, failures);
  return found;
}

export const otherHost = (tier: HostTier): HostTier => (tier === "free" ? "pro" : "free");

/** Undefined if the host ignored the key: the public service treats a key that it cannot read as keyless. */
async function askHost(
  run: Run,
  { key, source }: SentKey,
  tier: HostTier,
): Promise<SeenPlan | Failure | undefined> {
  const target = { ...hostsOf(run.options, tier), key, keySource: source, tier, isSimulated: false };
  try {
    const seen = await askPlan(run, target);
    return seen.plan === "keyless" ? undefined : seen;
  } catch (cause) {
    // The other host may respond if this one is down. A budget applies to both.
    if (!(cause instanceof Failure) || cause.exit === 5 || cause.exit === 2) throw cause;
    return cause;
  }
}

/** The last failure explains more, because the paid host has the clearer message for an invalid key. */
function notAccepted(options: RunOptions, failures: readonly Failure[]): Failure {
  const unavailable = failures.find(({ exit }) => exit !== 4);
  if (unavailable !== undefined) return unavailable;
  const last = failures.at(-1);
  // Other rejections, such as a web page from an edge server, explain themselves.
  if (last !== undefined && last.details.status !== 401) {
    const hosts = [...new Set([hostsOf(options, "free").rest, hostsOf(options, "pro").rest])];
    return new Failure(last.message, {
      ...last.details,
      next: `check the host URLs (dexdata config list): ${hosts.join(" and ")}`,
    });
  }
  const code = last?.code === "unauthorized" ? "unauthorized" : "invalid_api_key";
  return failAsService(code, "neither host of the service accepts the key", {
    status: last?.details.status,
    why: last?.details.why,
    next: "copy the complete key from the console; it starts with api_",
  });
}

/** For a key that a host accepts. */
export function unknownPlan(plan: string | undefined): string {
  return plan === undefined
    ? "the service accepts the key, but does not name its plan"
    : `the service accepts the key, but dexdata does not know its plan "${plan}"`;
}

export const setTier = "set DEXDATA_TIER to free, dev, pro or enterprise";

export function hostsOf({ settings, baseUrl }: RunOptions, tier: Tier): Pick<Target, "rest" | "streaming"> {
  const { rest, streaming } = pairOf(settings, plans[tier].hosts);
  return { rest: baseUrl ?? rest.value, streaming: streaming.value };
}

/** Costs a credit like any other request. */
export async function askPlan(
  { open, report }: Pick<Run, "open" | "report">,
  target: Target,
): Promise<SeenPlan> {
  const { ask, meter } = (
    await open({ target, observer: { applied: () => undefined }, onClosed: () => undefined })
  ).client;
  try {
    return accountOf((await ask(usage, new Map())).read(), meter);
  } catch (cause) {
    // A key without credits is still valid, and its response names the plan like any other.
    if (!(cause instanceof Failure) || cause.details.status !== 402) throw cause;
    const named = /^"(?<tier>\w+)"$/u.exec(cause.details.body?.get("tier") ?? "")?.groups?.["tier"];
    return seenPlan(meter.plan ?? named, meter.creditsLeft ?? "0");
  } finally {
    await report.settled();
  }
}

/** Reads `/usage` and, if values are missing there, the headers. */
export function accountOf(
  { text, value }: { readonly text: string; readonly value: unknown },
  meter: Pick<Meter, "plan" | "creditsLeft">,
): SeenPlan {
  const plan = member(value, "plan");
  const creditsLeft = creditsIn(rawAt(text, ["credits", "remaining"])) ?? meter.creditsLeft;
  return seenPlan(typeof plan === "string" && plan !== "" ? plan : meter.plan, creditsLeft);
}

/** A long plan is shortened. */
function seenPlan(named: string | undefined, creditsLeft: string | undefined): SeenPlan {
  const plan = named && shortened(named.trim().toLowerCase());
  return { plan, tier: plan !== undefined && isTier(plan) ? plan : undefined, creditsLeft };
}
