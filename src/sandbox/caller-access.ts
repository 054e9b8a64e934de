import { plans, type Tier } from "../api/tier.ts";
import type { RunningSandbox } from "./server.ts";

/** The hosts and the key of a caller on this plan. */
export function connectionOf(sandbox: RunningSandbox, tier: Tier) {
  const isFree = plans[tier].hosts === "free";
  return {
    rest: isFree ? sandbox.restFree : sandbox.restPaid,
    streaming: isFree ? sandbox.streamFree : sandbox.streamPaid,
    key: tier === "keyless" ? undefined : sandbox.keys[tier],
  };
}

/** Makes dexdata, or the user's own client, use the sandbox. Empty variables count as unset and replace a real key. */
export function environmentOf(sandbox: RunningSandbox, tier: Tier): Readonly<Record<string, string>> {
  return {
    DEXDATA_BASE_URL: sandbox.restFree,
    DEXDATA_PRO_BASE_URL: sandbox.restPaid,
    DEXDATA_STREAMING_URL: sandbox.streamFree,
    DEXDATA_STREAMING_PRO_URL: sandbox.streamPaid,
    DEXDATA_API_KEY: tier === "keyless" ? "" : sandbox.keys[tier],
    DEXDATA_TIER: tier === "keyless" ? "" : tier,
  };
}
