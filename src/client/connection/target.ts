import { usageFailure } from "../../contract/failure.ts";
import { isLoopback } from "../../contract/loopback.ts";
import { plans, type Tier } from "../../contract/tier.ts";

/** Where a run asks, as whom. */
export interface Target {
  /** REST base URL, without a trailing slash; may have a path of its own. */
  readonly rest: string;
  /** Streaming base URL. */
  readonly streaming: string;
  readonly tier: Tier;
  /** What said the tier, for messages; undefined where it is the service's own word. */
  readonly tierSource?: string | undefined;
  /** Sent bare as the whole `Authorization` value; undefined for keyless. */
  readonly key: string | undefined;
  /** Where the key came from, for messages. */
  readonly keySource: string | undefined;
  /** The sandbox's made-up market. */
  readonly isSimulated: boolean;
}

/** The four hosts of the service, all replaceable. */
export interface Hosts {
  readonly rest: { readonly free: string; readonly paid: string };
  readonly streaming: { readonly free: string; readonly paid: string };
}

export interface Identity {
  readonly key: string | undefined;
  readonly keySource: string | undefined;
  /** Undefined when no one has said it: no host is ever guessed from the mere presence of a key. */
  readonly tier: Tier | undefined;
  readonly tierSource?: string | undefined;
}

/** Specification, Authentication 2: keyless and free use the free hosts; dev, pro and enterprise the paid ones. */
export function chooseTarget(
  hosts: Hosts,
  identity: Identity,
  override: { rest?: string; streaming?: string },
): Target {
  const tier = knownTier(identity);
  const pair = plans[tier].hosts;
  return {
    rest: override.rest ?? hosts.rest[pair],
    streaming: override.streaming ?? hosts.streaming[pair],
    tier,
    tierSource: identity.tierSource,
    key: identity.key,
    keySource: identity.keySource,
    isSimulated: false,
  };
}

/** What to do about a key whose plan is not known here. */
export const tierHint =
  "set DEXDATA_TIER to free, dev, pro or enterprise, or store the key with its plan: dexdata auth login";

function knownTier(identity: Identity): Tier {
  if (identity.key === undefined) {
    if (identity.tier === undefined || identity.tier === "keyless") return "keyless";
    throw usageFailure(
      `the tier is set to ${identity.tier}, but there is no key`,
      "set DEXDATA_API_KEY, or store a key with: dexdata auth login",
    );
  }
  if (identity.tier === undefined || identity.tier === "keyless") {
    throw usageFailure(
      `the tier of the key from ${identity.keySource ?? "the settings"} is not known, and it decides the host`,
      tierHint,
    );
  }
  return identity.tier;
}

/**
 * The one place that decides on `Authorization`: bare, to the target's own origin only, over https or loopback.
 * Anything else is sent without it.
 */
export function createAuthorization({
  key,
  rest,
  streaming,
}: Target): (url: URL) => Readonly<Record<string, string>> {
  if (key === undefined) return () => none;
  const own = [rest, streaming].map((base) => new URL(base).origin);
  const sent = { authorization: key };
  return (url) => {
    const isPrivate = url.protocol === "https:" || isLoopback(url.hostname);
    return isPrivate && own.includes(url.origin) ? sent : none;
  };
}

const none = {};
