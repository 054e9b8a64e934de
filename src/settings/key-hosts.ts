import { usageFailure } from "../contract/failure.ts";
import { plans, type Tier } from "../contract/tier.ts";
import type { FoundKey } from "./find-key.ts";
import { settings as defaults, type Settings, type Sourced } from "./settings.ts";

/**
 * Throws if the key would be sent to the wrong host. A key passed for this run goes to this run's hosts. A stored key
 * goes only to the service's hosts, to those it was stored for, and to those that the user named (`--base-url`,
 * config.json). An environment variable is not sufficient, because it may come from a directory, a container or someone
 * else's script. Each of the service's hosts gets only keys for its own plans.
 */
export function checkKeyHosts(
  found: FoundKey,
  { settings, baseUrl }: { readonly settings: Settings; readonly baseUrl: string | undefined },
): void {
  const { source, kept, tier } = found;
  const pairs = {
    free: { rest: settings.base_url, streaming: settings.streaming_url },
    paid: { rest: settings.pro_base_url, streaming: settings.streaming_pro_url },
  };
  // While the tier is unknown, requests are sent to both pairs of hosts.
  const used = tier === undefined ? [pairs.free, pairs.paid] : [pairs[plans[tier].hosts]];
  for (const { rest, streaming } of used) {
    if (tier !== undefined) {
      checkPlanHost(tier, source, baseUrl ?? rest.value);
      checkPlanHost(tier, source, streaming.value);
    }
    if (kept === undefined) continue;
    if (baseUrl === undefined) checkNamed(source, kept.rest, rest);
    checkNamed(source, kept.streaming, streaming);
  }
}

const free = [defaults.base_url.fallback, defaults.streaming_url.fallback];
const paid = [defaults.pro_base_url.fallback, defaults.streaming_pro_url.fallback];

export function checkPlanHost(tier: Tier, source: string, asked: string): void {
  const others = plans[tier].hosts === "paid" ? free : paid;
  if (!others.some((each) => isSameHost(each, asked))) return;
  throw usageFailure(
    `${asked} does not accept ${tier} keys, and the key from ${source} is on the ${tier} plan`,
    "use the default host, or look up the plan of the key again: dexdata auth login",
  );
}

function checkNamed(source: string, storedFor: string | undefined, named: Sourced<string>): void {
  const asked = named.value;
  if (named.source !== "environment") return;
  const known = storedFor === undefined ? [...free, ...paid] : [...free, ...paid, storedFor];
  if (known.some((each) => isSameHost(each, asked))) return;
  throw usageFailure(
    `the key from ${source} was not sent, because it is not stored for ${asked} (set by ${named.where})`,
    `to use this host, pass a key with DEXDATA_API_KEY or --key-file, or run: dexdata config set ${nameOf(named)} ${asked}`,
  );
}

/** For example, the variable `DEXDATA_PRO_BASE_URL` sets `pro_base_url`. */
function nameOf({ where }: Sourced<string>): string {
  return where.replace(/^DEXDATA_/u, "").toLowerCase();
}

function isSameHost(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}
