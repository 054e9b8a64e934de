import type { Target } from "../../client/connection/target.ts";
import type { Meter } from "../../client/spending/meter.ts";
import { usage } from "../../contract/endpoints/usage.ts";
import { fail, Failure } from "../../contract/failure.ts";
import { isTier, plans, type Tier } from "../../contract/tier.ts";
import { rawAt } from "../../json/path-reader.ts";
import { member } from "../../json/raw-json.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { Run } from "../../run/with-run.ts";
import { shortened } from "../../tail/stream-message.ts";

export interface SentKey {
  readonly key: string;
  /** In messages, this follows `the key from `. */
  readonly source: string;
}

export interface SeenPlan {
  /** As the service sent it. */
  readonly plan: string;
  /** The digits as the service sent them. */
  readonly creditsLeft: string | undefined;
}

/** Tries the free host and then the paid host. The host that accepts the key returns its plan. */
export async function findPlan(
  run: Run,
  { key, source }: SentKey,
): Promise<SeenPlan & { readonly plan: Tier }> {
  const { options } = run;
  let last: Failure | undefined;
  for (const tier of ["free", "pro"] as const) {
    const target = { ...hostsOf(options, tier), key, keySource: source, tier, isSimulated: false };
    try {
      const { plan, creditsLeft } = await askPlan(run, target);
      // The public service does not reject a key that it cannot read. It treats the request as keyless.
      if (isTier(plan) && plan !== "keyless") return { plan, creditsLeft };
    } catch (cause) {
      if (!(cause instanceof Failure) || cause.exit !== 4) throw cause;
      // The last failure is reported, because the paid host has the clearer message for an invalid key.
      last = cause;
    }
  }
  // Other rejections, such as a web page from an edge server, explain themselves.
  if (last !== undefined && last.details.status !== 401) {
    const hosts = [...new Set([hostsOf(options, "free").rest, hostsOf(options, "pro").rest])];
    throw new Failure(last.message, {
      ...last.details,
      next: `check the host URLs (dexdata config list): ${hosts.join(" and ")}`,
    });
  }
  const code = last?.code === "unauthorized" ? "unauthorized" : "invalid_api_key";
  throw fail(code, "neither host of the service accepts the key", {
    status: last?.details.status,
    why: last?.details.why,
    next: "copy the complete key from the console; it starts with api_",
  });
}

export function hostsOf({ settings, baseUrl }: RunOptions, tier: Tier): Pick<Target, "rest" | "streaming"> {
  const isPaid = plans[tier].hosts === "paid";
  return {
    rest: baseUrl ?? (isPaid ? settings.pro_base_url.value : settings.base_url.value),
    streaming: isPaid ? settings.streaming_pro_url.value : settings.streaming_url.value,
  };
}

/** Costs a credit like any other request. */
export async function askPlan(
  { open, report }: Pick<Run, "open" | "report">,
  target: Target,
): Promise<SeenPlan> {
  const { ask, meter } = (await open({ target, over: () => undefined })).client;
  try {
    return accountOf((await ask(usage, new Map())).read(), meter);
  } catch (cause) {
    const isUsedUp = cause instanceof Failure && cause.details.status === 402;
    // A key without credits is still valid, and its response names the plan like any other.
    if (isUsedUp && meter.plan !== undefined)
      return { plan: meter.plan, creditsLeft: meter.creditsLeft ?? "0" };
    throw cause;
  } finally {
    await report.settled();
  }
}

/** Reads `/usage` and, if values are missing there, the headers. Long values are shortened. */
export function accountOf(
  { text, value }: { readonly text: string; readonly value: unknown },
  meter: Pick<Meter, "plan" | "creditsLeft">,
): SeenPlan {
  const plan = member(value, "plan");
  const creditsLeft = rawAt(text, ["credits", "remaining"]) ?? meter.creditsLeft;
  return {
    plan: shortened(typeof plan === "string" ? plan : (meter.plan ?? "unknown")),
    creditsLeft: creditsLeft === undefined ? undefined : shortened(creditsLeft),
  };
}
