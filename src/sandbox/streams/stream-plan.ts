import type { Arrived } from "../arrival.ts";
import { planRequiredBy } from "../guards.ts";
import type { Refusal } from "../service-refusal.ts";
import type { SandboxState } from "../state.ts";
import type { Feed } from "../../contract/feed.ts";
import { plans, type Tier } from "../../contract/tier.ts";
import { billing } from "../billing-refusals.ts";
import type { Subscription } from "./read-subscriptions.ts";
import type { Market, TokenFacts } from "../market/types.ts";
import { NETWORK_ROWS } from "../market/well-known.ts";

/** Specification, Authentication 7; the preview without a key is the public service's (wire-facts 2.2). */
export function planOfStream(
  feed: Feed,
  { account: { tier }, at }: Arrived,
  { dialect, market }: SandboxState,
  read: () => readonly Subscription[],
): Refusal | undefined {
  const { plan } = feed;
  if (plans[plan].hosts === "paid") return planRequiredBy(plan, tier);
  if (dialect === "spec" || tier !== "keyless") return undefined;
  if (plan !== "keyless") return previewOnly(tier);
  const isShown = readable(read).every(
    ({ subject }) => "token" in subject && isPreviewAsset(market, subject.token, at),
  );
  return isShown ? undefined : previewOnly(tier);
}

function previewOnly(tier: Tier): Refusal {
  const message = "keyless streams show the preview assets only — register for a free key";
  return billing(403, { error: "preview_only", tier, message });
}

/** Invalid subscriptions are left to the 400 that follows. */
function readable(read: () => readonly Subscription[]): readonly Subscription[] {
  try {
    return read();
  } catch {
    return [];
  }
}

const PREVIEW_ASSETS = 35;

/**
 * Whether streams show the token without a key (public dialect). Of these 35 assets, only WETH on ethereum and wrapped
 * SOL on solana are public. Here they are the token that most pools quote in on each of 35 networks.
 */
function isPreviewAsset(market: Market, token: TokenFacts, at: number): boolean {
  const row = NETWORK_ROWS.slice(0, PREVIEW_ASSETS).find(({ id }) => id === token.network.id);
  const symbol = row?.hubs[0];
  // Other tokens may use the same symbol; the real one is higher in the list.
  return market.tokens(token.network, at).find((each) => each.symbol === symbol) === token;
}
