import { usageFailure } from "../../base/failure.ts";
import { type Plan, plans } from "../../api/tier.ts";
import type { FoundKey } from "./find-key.ts";
import { checkPlanHost, isSameHost, isServiceHost } from "../../client/target.ts";
import type { Settings, Sourced } from "../../client/settings.ts";

/**
 * Throws if the key would be sent to the wrong host. A key passed for this run goes to this run's hosts. A stored key
 * goes only to the service's hosts, to those it was stored for, and to those that the user named (`--base-url`,
 * config.json). An environment variable is not sufficient, because it may come from a directory, a container or someone
 * else's script. Each of the service's hosts gets only keys for its own plans.
 */
export function checkKeyHosts(found: FoundKey, options: HostOptions): void {
  const { source, tier, lookUp = "dexdata auth status" } = found;
  // While the tier is unknown, requests are sent to both pairs of hosts.
  const used = tier === undefined ? (["free", "paid"] as const) : [plans[tier].hosts];
  for (const pair of used) {
    const { rest, streaming } = pairOf(options.settings, pair);
    if (tier !== undefined) {
      checkPlanHost(tier, source, options.baseUrl ?? rest.value, lookUp);
      checkPlanHost(tier, source, streaming.value, lookUp);
    }
    checkNamedHosts(found, pair, options);
  }
}

interface HostOptions {
  readonly settings: Settings;
  readonly baseUrl: string | undefined;
}

type Pair = Plan["hosts"];

/** Throws if the key would be sent to a host that only an environment variable names. */
export function checkNamedHosts({ source, kept }: FoundKey, pair: Pair, options: HostOptions): void {
  if (kept === undefined) return;
  const { rest, streaming } = pairOf(options.settings, pair);
  if (options.baseUrl === undefined) checkNamed(source, kept.rest, rest);
  checkNamed(source, kept.streaming, streaming);
}

function pairOf(settings: Settings, pair: Pair) {
  return pair === "free"
    ? { rest: settings.base_url, streaming: settings.streaming_url }
    : { rest: settings.pro_base_url, streaming: settings.streaming_pro_url };
}

function checkNamed(source: string, storedFor: string | undefined, named: Sourced<string>): void {
  const asked = named.value;
  if (named.source !== "environment") return;
  if (isServiceHost(asked) || (storedFor !== undefined && isSameHost(storedFor, asked))) return;
  throw usageFailure(
    `the key from ${source} was not sent, because it is not stored for ${asked} (set by ${named.where})`,
    `to use this host, pass a key with DEXDATA_API_KEY or --key-file, or run: dexdata config set ${nameOf(named)} ${asked}`,
  );
}

/** For example, the variable `DEXDATA_PRO_BASE_URL` sets `pro_base_url`. */
function nameOf({ where }: Sourced<string>): string {
  return where.replace(/^DEXDATA_/u, "").toLowerCase();
}
