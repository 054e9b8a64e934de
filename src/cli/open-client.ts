import type { Budget } from "../client/spending/budget.ts";
import { type Client, createClient } from "../client/client.ts";
import type { Pace } from "../client/pace/pace.ts";
import { chooseTarget, type Target } from "../client/connection/target.ts";
import type { Context } from "../context/context.ts";
import { plans } from "../contract/tier.ts";
import { findKey, type FoundKey } from "../settings/find-key.ts";
import { checkKeyHosts } from "../settings/key-hosts.ts";
import { budgetOf } from "./spending/budget.ts";
import type { Notices } from "./notices.ts";
import { openPace } from "./spending/open-pace.ts";
import type { RunOptions } from "./run-options.ts";

/** A client for this run, and the sandbox it asks where that is wanted. */
export interface OpenClient {
  readonly client: Client;
  /** What the client keeps to; streams beside it draw on the same. */
  readonly pace: Pace;
  readonly budget: Budget;
  readonly close: () => Promise<void>;
}

/** `speed`: how fast the time of the sandbox in this process goes on from the run's clock reading; 0 for not at all. */
export async function openClient(
  context: Context,
  options: RunOptions,
  notices: Notices,
  speed = 0,
): Promise<OpenClient> {
  const { target, close } = await openTarget(context, options, notices, speed);
  // What is still waiting when the run ends is nobody's any more: it is neither waited for nor sent.
  const closing = new AbortController();
  const open = { ...context, signal: AbortSignal.any([context.signal, closing.signal]) };
  const pace = openPace(open, options, target, notices);
  const budget = budgetOf(context, options, target, notices.warn);
  const client = createClient(open, target, {
    timeout: options.timeout,
    retry: options.retry,
    pace,
    budget,
    requiredPlan: options.requiredPlan,
    width: options.parallel,
    observer: notices,
  });
  return {
    client,
    pace,
    budget,
    close: async () => {
      closing.abort(new Error("the run is over"));
      await client.close();
      await close();
    },
  };
}

export interface OpenTarget {
  readonly target: Target;
  readonly close: () => Promise<void>;
}

async function openTarget(
  context: Context,
  options: RunOptions,
  notices: Notices,
  speed: number,
): Promise<OpenTarget> {
  const { settings } = options;
  for (const warning of settings.warnings) notices.warn(`dexdata: ${warning}`);
  if (options.sandbox !== undefined) return await openSandbox(context, options, options.sandbox, speed);
  const { found, warnings } = await findKey(context, options, settings);
  for (const warning of warnings) notices.warn(`dexdata: ${warning}`);
  return { target: targetOf(options, found), close: async () => undefined };
}

/** The host that the key's tier means, if the key may go there. */
function targetOf(options: RunOptions, found: FoundKey | undefined): Target {
  const { settings, baseUrl } = options;
  const hosts = {
    rest: { free: settings.base_url.value, paid: settings.pro_base_url.value },
    streaming: { free: settings.streaming_url.value, paid: settings.streaming_pro_url.value },
  };
  const identity = {
    key: found?.key,
    keySource: found?.source,
    tier: found === undefined ? settings.tier.value : found.tier,
    tierSource: tierSourceOf(options),
  };
  const target = chooseTarget(hosts, identity, baseUrl === undefined ? {} : { rest: baseUrl });
  if (found !== undefined) checkKeyHosts(found, options);
  return target;
}

/** What set the tier by which the host is chosen. Undefined where the service said it once, or a host was named instead. */
export function tierSourceOf({ settings: { tier }, baseUrl }: RunOptions): string | undefined {
  return tier.source === "default" || baseUrl !== undefined ? undefined : tier.where;
}

/** In this process, on loopback, with the sandbox's own key: a stored or given key is not even read. */
export async function openSandbox(
  context: Context,
  options: RunOptions,
  { tier, seed, faults }: NonNullable<RunOptions["sandbox"]>,
  speed = 0,
): Promise<OpenTarget> {
  const { startSandbox } = await import("../sandbox/server.ts");
  // From the first request on: what was typed as fifteen minutes ago is no longer ago when it is asked for.
  let started: number | undefined;
  const passed = (): number => {
    started ??= context.clock.elapsed();
    return (context.clock.elapsed() - started) * speed;
  };
  const sandbox = await startSandbox({
    seed,
    now: () => options.now + passed(),
    elapsed: context.clock.elapsed,
    ...(faults !== undefined && { faults }),
  });
  const isFree = plans[tier].hosts === "free";
  const rest = isFree ? sandbox.restFree : sandbox.restPaid;
  const target: Target = {
    rest,
    streaming: isFree ? sandbox.streamFree : sandbox.streamPaid,
    tier,
    key: tier === "keyless" ? undefined : sandbox.keys[tier],
    keySource: "the sandbox",
    isSimulated: true,
  };
  return { target, close: sandbox.close };
}
