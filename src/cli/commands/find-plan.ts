import { type Client, createClient } from "../../client/client.ts";
import type { Meter } from "../../client/spending/meter.ts";
import { member } from "../../json/own-member.ts";
import type { Target } from "../../client/connection/target.ts";
import { usage } from "../../contract/endpoints/usage.ts";
import type { Context } from "../../context/context.ts";
import { fail, Failure } from "../../contract/failure.ts";
import { rawAt } from "../../json/path-reader.ts";
import { isTier, plans, type Tier } from "../../contract/tier.ts";
import { shortened } from "../../tail/stream-message.ts";
import { budgetOf } from "../spending/budget.ts";
import { createNotices } from "../notices.ts";
import { openPace } from "../spending/open-pace.ts";
import type { RunOptions } from "../run-options.ts";

export interface SeenPlan {
  /** What the service calls it. */
  readonly plan: string;
  /** The service's own digits. */
  readonly creditsLeft: string | undefined;
}

/** Asks the free host and then the paid one; the one that counts the key says its plan. */
export async function findPlan(
  context: Context,
  options: RunOptions,
  { key, source }: { readonly key: string; readonly source: string },
): Promise<SeenPlan & { readonly plan: Tier }> {
  const failures: Failure[] = [];
  for (const tier of ["free", "pro"] as const) {
    const target = { ...hostsOf(options, tier), key, keySource: source, tier, isSimulated: false };
    try {
      const { plan, creditsLeft } = await askPlan(context, options, target);
      // An unreadable key is not refused by the public service but counted as keyless.
      if (isTier(plan) && plan !== "keyless") return { plan, creditsLeft };
    } catch (cause) {
      if (!(cause instanceof Failure) || cause.exit !== 4) throw cause;
      failures.push(cause);
    }
  }
  // The paid host's word for a wrong key is the clearer one.
  const last = failures.at(-1);
  // Anything but an unknown key, such as the web page of an edge or a host of the other plans, says itself what it is.
  if (last !== undefined && last.details.status !== 401) {
    const hosts = [...new Set([hostsOf(options, "free").rest, hostsOf(options, "pro").rest])];
    throw new Failure(last.message, {
      ...last.details,
      next: `check the hosts that were asked (dexdata config list): ${hosts.join(" and ")}`,
    });
  }
  const code = last?.code === "unauthorized" ? "unauthorized" : "invalid_api_key";
  throw fail(code, "neither host of the service accepts this key", {
    status: last?.details.status,
    why: last?.details.why,
    next: "copy it whole from the console: it begins with api_",
  });
}

export function hostsOf({ settings, baseUrl }: RunOptions, tier: Tier): Pick<Target, "rest" | "streaming"> {
  const isPaid = plans[tier].hosts === "paid";
  return {
    rest: baseUrl ?? (isPaid ? settings.pro_base_url.value : settings.base_url.value),
    streaming: isPaid ? settings.streaming_pro_url.value : settings.streaming_url.value,
  };
}

/** One question to `/usage`, which costs a credit like any other. */
export async function askPlan(context: Context, options: RunOptions, target: Target): Promise<SeenPlan> {
  const notices = createNotices(context, options);
  const { timeout, retry } = options;
  const client = createClient(context, target, {
    timeout,
    retry,
    pace: openPace(context, options, target, notices),
    budget: budgetOf(context, options, target, notices.warn),
    requiredPlan: options.requiredPlan,
    width: 1,
    observer: notices,
  });
  try {
    return await seenPlan(client);
  } finally {
    await client.close();
    await notices.settled();
  }
}

/** What `/usage` says, or else the headers; never more of it than somebody would read. */
export function accountOf(
  { text, value }: { readonly text: string; readonly value: unknown },
  meter: Pick<Meter, "plan" | "creditsLeft">,
): SeenPlan {
  const plan = member(value, "plan");
  const creditsLeft = rawAt(text, ["credits", "remaining"]) ?? meter.creditsLeft;
  return {
    plan: shortened(typeof plan === "string" ? plan : (meter.plan ?? "not said")),
    creditsLeft: creditsLeft === undefined ? undefined : shortened(creditsLeft),
  };
}

async function seenPlan({ ask, meter }: Client): Promise<SeenPlan> {
  try {
    return accountOf((await ask(usage, new Map())).read(), meter);
  } catch (cause) {
    const isUsedUp = cause instanceof Failure && cause.details.status === 402;
    // A key without credits is still a key, and the answer says its plan like any other.
    if (isUsedUp && meter.plan !== undefined)
      return { plan: meter.plan, creditsLeft: meter.creditsLeft ?? "0" };
    throw cause;
  }
}
