import type { Arrived } from "../arrival.ts";
import { planRequiredBy } from "../guards.ts";
import type { SandboxRequest } from "../sandbox-exchange.ts";
import type { Refusal } from "../service-refusal.ts";
import type { SandboxState } from "../state.ts";
import type { Feed } from "../../contract/feed.ts";
import { plans } from "../../contract/tier.ts";
import type { Subscription } from "./read-subscriptions.ts";
import { previewOnly } from "./stream-refusals.ts";
import type { Market, TokenFacts } from "../market/types.ts";
import { NETWORK_ROWS } from "../market/well-known.ts";

export interface StreamRequest extends SandboxRequest {
  readonly body: string;
}

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

/** What cannot be read is left to the 400 that follows. */
function readable(read: () => readonly Subscription[]): readonly Subscription[] {
  try {
    return read();
  } catch {
    return [];
  }
}

const PREVIEW_ASSETS = 35;

/**
 * Whether streams show the token without a key (public dialect). Which 35 assets these are is not public but for
 * WETH on ethereum and wrapped SOL on solana; here, they are what most pools quote in on each of 35 networks.
 */
function isPreviewAsset(market: Market, token: TokenFacts, at: number): boolean {
  const row = NETWORK_ROWS.slice(0, PREVIEW_ASSETS).find(({ id }) => id === token.network.id);
  const symbol = row?.hubs[0];
  // Others may have taken the symbol for their own; the true one stands further up.
  return market.tokens(token.network, at).find((each) => each.symbol === symbol) === token;
}
