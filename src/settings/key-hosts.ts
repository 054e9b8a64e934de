import { usageFailure } from "../contract/failure.ts";
import { plans, type Tier } from "../contract/tier.ts";
import type { FoundKey } from "./find-key.ts";
import { settings as defaults, type Settings, type Sourced } from "./settings.ts";

/**
 * Refuses to send a key to a host it does not belong to. One that was handed over for this run (a flag, the
 * environment) goes where this run was told to go. One that is kept on this machine goes to the service's own hosts,
 * to those it was stored for, and to those that the user's own words name (`--base-url`, config.json); a variable
 * alone names none, because variables come from folders, containers and other people's scripts. Of the service's own
 * hosts every key goes to those of its plan only.
 */
export function checkKeyHosts(found: FoundKey, { settings, baseUrl }: Hosts): void {
  const { source, kept, tier } = found;
  const pairs = {
    free: { rest: settings.base_url, streaming: settings.streaming_url },
    paid: { rest: settings.pro_base_url, streaming: settings.streaming_pro_url },
  };
  // Where the tier is not known yet, both pairs are asked.
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

interface Hosts {
  readonly settings: Settings;
  /** `--base-url`. */
  readonly baseUrl: string | undefined;
}

const free = [defaults.base_url.fallback, defaults.streaming_url.fallback];
const paid = [defaults.pro_base_url.fallback, defaults.streaming_pro_url.fallback];

/** A host of the service's own that serves another plan is refused. */
export function checkPlanHost(tier: Tier, source: string, asked: string): void {
  const others = plans[tier].hosts === "paid" ? free : paid;
  if (!others.some((each) => isSameHost(each, asked))) return;
  throw usageFailure(
    `${asked} is no host of ${tier} keys, and the key from ${source} is one`,
    "leave the host out, or let the service say the plan again: dexdata auth login",
  );
}

function checkNamed(source: string, storedFor: string | undefined, named: Sourced<string>): void {
  const asked = named.value;
  if (named.source !== "environment") return;
  const known = storedFor === undefined ? [...free, ...paid] : [...free, ...paid, storedFor];
  if (known.some((each) => isSameHost(each, asked))) return;
  throw usageFailure(
    `the key from ${source} is not for ${asked}, which ${named.where} names: it is not sent`,
    `if that host is meant: dexdata config set ${nameOf(named)} ${asked}, or hand a key over with DEXDATA_API_KEY or --key-file`,
  );
}

/** `DEXDATA_PRO_BASE_URL` is the variable of `pro_base_url`. */
function nameOf({ where }: Sourced<string>): string {
  return where.replace(/^DEXDATA_/u, "").toLowerCase();
}

function isSameHost(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}
