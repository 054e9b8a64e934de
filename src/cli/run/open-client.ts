import { type ClientObserver, createClient } from "../../client/client.ts";
import { chooseTarget, lookUpOf, type Target } from "../../client/target.ts";
import { unusableFile } from "../../base/files/json-file.ts";
import type { Context } from "../../base/context/context.ts";
import { warningOfClock } from "../../client/settings.ts";
import { connectionOf } from "../../sandbox/caller-access.ts";
import { checkKeyHosts, findKey } from "../settings/find-key.ts";
import { budgetOf, openPace } from "./spending/shared-limits.ts";
import type { Report } from "./report.ts";
import type { RunOptions } from "./run-options.ts";

export type OpenClient = Readonly<Awaited<ReturnType<typeof openClient>>>;

/**
 * An in-process sandbox clock runs at `speed` from the start of the run; 0 stops the clock. `named` is set only if flags
 * and settings do not determine the host.
 */
export async function openClient(
  context: Context,
  options: RunOptions,
  report: RunObserver,
  speed: number,
  named: Target | undefined,
) {
  const { target, close } =
    named === undefined
      ? await openTarget(context, options, report, speed)
      : { target: named, close: nothing };
  // When the run ends, requests that are still waiting are canceled and not sent.
  const closing = new AbortController();
  const open = { ...context, signal: AbortSignal.any([context.signal, closing.signal]) };
  const budget = budgetOf(context, options, target, report.warn);
  const client = createClient(open, target, {
    timeout: options.timeout,
    retry: options.retry,
    pace: openPace(open, options, target, report),
    budget,
    spent: options.spent,
    requiredPlan: options.requiredPlan,
    width: options.parallel,
    observer: { applied: watchPlans(target, report.warn), ...report },
  });
  return {
    client,
    close: async () => {
      closing.abort(new Error("run finished"));
      await client.close();
      await close();
    },
  };
}

/** Without `applied`, a plan other than the key's is reported as soon as the service names it. */
export type RunObserver = Report & Pick<ClientObserver, "opened"> & Partial<Pick<ClientObserver, "applied">>;

/** The user pays for a plan that is not applied, so this is printed even if stderr is a pipe, once for each plan. */
function watchPlans(target: Target, warn: (line: string) => void): (plan: string) => void {
  const reported = new Set<string>([target.tier]);
  return (plan) => {
    if (reported.has(plan) || reported.size > maxReported) return;
    reported.add(plan);
    const why = target.key !== undefined && plan === "keyless" ? ", so the key had no effect" : "";
    warn(`the service applied the ${plan} plan, not ${target.tier}${why}; see: ${lookUpOf(target)}`);
  };
}

/** The specification has five plans. */
const maxReported = 10;

/** Throws a failure if the key must not be sent to its tier's host. */
async function openTarget(context: Context, options: RunOptions, report: RunObserver, speed: number) {
  const { settings, baseUrl } = options;
  if (settings.damaged !== undefined && options.sandbox === undefined) throw unusableFile(settings.damaged);
  for (const warning of settings.warnings) report.warn(warning);
  if (options.sandbox !== undefined) return await openSandbox(context, options, options.sandbox, speed);
  const { found, warnings } = await findKey(context, options, settings);
  for (const warning of warnings) report.warn(warning);
  const hosts = {
    rest: { free: settings.base_url.value, paid: settings.pro_base_url.value },
    streaming: { free: settings.streaming_url.value, paid: settings.streaming_pro_url.value },
  };
  const { key, source: keySource, tier, lookUp } = found ?? { ...keyless, tier: settings.tier.value };
  const identity = { key, keySource, tier, tierSource: tierSourceOf(options), lookUp };
  const target = chooseTarget(hosts, identity, baseUrl === undefined ? {} : { rest: baseUrl });
  if (found !== undefined) checkKeyHosts(found, options);
  const { now, nowSource: source } = options;
  const warning = source === undefined ? undefined : warningOfClock(target.rest, { source, now }, "run");
  if (warning !== undefined) report.warn(warning);
  return { target, close: nothing };
}

const keyless = { key: undefined, source: undefined, lookUp: undefined };

const nothing = (): Promise<void> => Promise.resolve();

/** The setting that determined the host. Undefined if the service reported the tier or a flag set the host. */
export function tierSourceOf({ settings: { tier }, baseUrl }: RunOptions): string | undefined {
  return tier.source === "default" || baseUrl !== undefined ? undefined : tier.where;
}

/** The sandbox has its own key, so no stored key is read. */
async function openSandbox(
  context: Context,
  options: RunOptions,
  { tier, seed, faults = [] }: NonNullable<RunOptions["sandbox"]>,
  speed: number,
) {
  const { startSandbox } = await import("../../sandbox/server.ts");
  // The clock starts with the first request. Otherwise, "15 minutes ago" would be too early when it is sent.
  let started: number | undefined;
  const passed = (): number => {
    started ??= context.clock.elapsed();
    return (context.clock.elapsed() - started) * speed;
  };
  const sandbox = await startSandbox({
    seed,
    now: () => options.now + passed(),
    elapsed: context.clock.elapsed,
    faults,
  });
  const target: Target = {
    ...connectionOf(sandbox, tier),
    tier,
    keySource: "the sandbox",
    isSimulated: true,
  };
  return { target, close: sandbox.close };
}
