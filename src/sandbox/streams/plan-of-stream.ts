import { planRequired } from "../billing-refusals.ts";
import type { Caller } from "../caller.ts";
import type { SandboxRequest } from "../exchange.ts";
import type { Query } from "../query.ts";
import type { Refusal } from "../refusal.ts";
import type { Account } from "../accounts.ts";
import type { SandboxState } from "../state.ts";
import type { Feed } from "./feeds.ts";
import { isPreviewAsset } from "./preview-assets.ts";
import type { Subscription } from "./read-subscriptions.ts";
import { previewOnly } from "./stream-refusals.ts";

export interface StreamRequest extends SandboxRequest {
  readonly body: string;
}

/** A request on a streaming host. */
export interface Arrived {
  readonly request: StreamRequest;
  readonly path: string;
  readonly query: Query;
  readonly caller: Caller;
  readonly account: Account;
  /** Unix seconds of the simulated clock. */
  readonly at: number;
}

/** Specification, Authentication 7; the preview without a key is the public service's (wire-facts 2.2). */
export function planOfStream(
  feed: Feed,
  { account: { tier }, at }: Arrived,
  { dialect, market }: SandboxState,
  read: () => readonly Subscription[],
): Refusal | undefined {
  if (feed.isPaid) return tier === "keyless" || tier === "free" ? planRequired(tier, "dev") : undefined;
  if (dialect === "spec" || tier !== "keyless") return undefined;
  if (feed.path === "/sse/reserves") return previewOnly(tier);
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
