import { type Client, createClient } from "../client/client.ts";
import { chooseTarget, type Target } from "../client/target.ts";
import type { Context } from "../model/context.ts";
import { plans } from "../model/tier.ts";
import { findKey } from "../settings/find-key.ts";
import { budgetOf } from "./budget.ts";
import type { Notices } from "./notices.ts";
import { openPace } from "./open-pace.ts";
import type { RunOptions } from "./run-options.ts";

/** A client for this run, and the sandbox it asks where that is wanted. */
export interface OpenClient {
  readonly client: Client;
  readonly close: () => Promise<void>;
}

export async function openClient(
  context: Context,
  options: RunOptions,
  notices: Notices,
): Promise<OpenClient> {
  const { target, close } = await openTarget(context, options, notices);
  const client = createClient(context, target, {
    timeout: options.timeout,
    retry: options.retry,
    pace: openPace(context, options, target, notices),
    budget: budgetOf(context, options, target),
    requiredPlan: options.requiredPlan,
    width: options.parallel,
    observer: notices,
  });
  return {
    client,
    close: async () => {
      await client.close();
      await close();
    },
  };
}

export interface OpenTarget {
  readonly target: Target;
  readonly close: () => Promise<void>;
}

async function openTarget(context: Context, options: RunOptions, notices: Notices): Promise<OpenTarget> {
  const { settings } = options;
  for (const warning of settings.warnings) notices.warn(`dexdata: ${warning}`);
  if (options.sandbox !== undefined) return await openSandbox(context, options, options.sandbox);
  const { found, warnings } = findKey(
    context,
    { keyFile: options.keyFile, profile: options.profile },
    settings,
  );
  for (const warning of warnings) notices.warn(`dexdata: ${warning}`);
  const hosts = {
    rest: { free: settings.base_url.value, paid: settings.pro_base_url.value },
    streaming: { free: settings.streaming_url.value, paid: settings.streaming_pro_url.value },
  };
  const identity = {
    key: found?.key,
    keySource: found?.source,
    tier: found === undefined ? settings.tier.value : found.tier,
  };
  const override = options.baseUrl === undefined ? {} : { rest: options.baseUrl };
  return { target: chooseTarget(hosts, identity, override), close: async () => undefined };
}

/** In this process, on loopback, with the sandbox's own key: a stored or given key is not even read. */
export async function openSandbox(
  context: Context,
  options: RunOptions,
  { tier, seed, faults }: NonNullable<RunOptions["sandbox"]>,
): Promise<OpenTarget> {
  const { startSandbox } = await import("../sandbox/server.ts");
  const sandbox = await startSandbox({
    seed,
    now: () => options.now,
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
