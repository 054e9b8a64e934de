import type { Target } from "../../../client/target.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { Failure } from "../../../base/failure.ts";
import { maskKey } from "../../../base/key.ts";
import { plans, type Tier } from "../../../api/tier.ts";
import type { LocalOutputFlags } from "../../run/flags/shared-flags.ts";
import { tierSourceOf } from "../../run/open-client.ts";
import { exactNumber, expectWords, writeRecord } from "../../run/output/local-output.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { checkKeyHosts, checkNamedHosts, findKey, type FoundKey } from "../../settings/find-key.ts";
import { plansIn, readCredentials } from "../../settings/credentials.ts";
import { savePlan } from "../../settings/edit-credentials.ts";
import type { LookupInput } from "./auth.ts";
import { askPlan, findPlan, hostsOf, setTier, unknownPlan } from "./find-plan.ts";

export async function status(input: LookupInput, outer: Context): Promise<ExitCode> {
  expectWords(input.words, 0, "auth status");
  return await withRun(input, outer, async (run) => await showStatus(run, input.flags));
}

async function showStatus(run: Run, flags: LocalOutputFlags): Promise<ExitCode> {
  const { context, options, report } = run;
  if (options.sandbox !== undefined) {
    const { client } = await run.open({ onClosed: () => undefined });
    return await statusOfTarget(run, flags, client.target);
  }
  const { settings } = options;
  const { found, warnings } = await findKey(context, options, settings);
  for (const warning of [...settings.warnings, ...warnings]) report.warn(warning);
  await report.settled();
  if (found !== undefined) return await statusOfKey(run, flags, found);
  const tier = settings.tier.value ?? "keyless";
  return await statusOfTarget(run, flags, {
    ...hostsOf(options, tier),
    tier,
    tierSource: tierSourceOf(options),
    key: undefined,
    keySource: undefined,
    isSimulated: false,
  });
}

/** Any error other than a failure is a bug or an interruption. */
function asFailure(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  throw cause;
}

async function statusOfTarget(run: Run, flags: LocalOutputFlags, target: Target): Promise<ExitCode> {
  const { key, keySource, tier, rest, streaming } = target;
  const seen = await askPlan(run, target).catch(asFailure);
  const record = {
    key: key === undefined ? "none" : maskKey(key),
    source: key === undefined ? undefined : keySource,
    tier,
  };
  const hosts = { rest_url: rest, streaming_url: streaming };
  if (seen instanceof Failure) {
    const unknown = { plan: undefined, credits_left: undefined };
    await writeRecord(run.context, flags, { ...record, ...unknown, problem: seen.message, ...hosts });
    return seen.exit;
  }
  const { plan } = seen;
  const credits_left = exactNumber(seen.creditsLeft);
  const problem =
    plan === tier ? undefined : `the service applied the ${plan ?? "unknown"} plan, not ${tier}`;
  return await writeRecord(run.context, flags, { ...record, plan, credits_left, problem, ...hosts });
}

/**
 * Looks up the plan, even if it is known, because it may have changed. The result is saved where the key's plan is kept,
 * so that the next command uses the right host.
 */
async function statusOfKey(run: Run, flags: LocalOutputFlags, found: FoundKey): Promise<ExitCode> {
  const { context, options } = run;
  const { key, source, tier } = found;
  const first = tier === undefined || plans[tier].hosts === "free" ? "free" : "pro";
  if (tier === undefined) checkKeyHosts(found, options);
  else checkNamedHosts(found, plans[first].hosts, options);
  const isAllowed = (other: Tier): boolean => mayUse(found, other, options);
  const known = tier === undefined ? undefined : ({ host: first, isAllowed } as const);
  const seen = await findPlan(run, found, known).catch(asFailure);
  const record = { key: maskKey(key), source, tier: tier ?? "unknown" };
  if (seen instanceof Failure) {
    const { rest: rest_url, streaming: streaming_url } = hostsOf(options, first);
    const unknown = tier === undefined ? {} : { plan: undefined, credits_left: undefined };
    const hosts = tier === undefined ? {} : { rest_url, streaming_url };
    await writeRecord(context, flags, { ...record, ...unknown, problem: seen.message, ...hosts });
    return seen.exit;
  }
  const credits_left = exactNumber(seen.creditsLeft);
  if (seen.tier === undefined) {
    const problem = `${unknownPlan(seen.plan)}; ${tier === undefined ? setTier : `dexdata uses it as ${tier}`}`;
    await writeRecord(context, flags, { ...record, plan: seen.plan, credits_left, problem });
    return tier === undefined ? 4 : 0;
  }
  const { rest: rest_url, streaming: streaming_url } = hostsOf(options, seen.tier);
  const { exit, ...outcome } = await keepPlan(run, found, seen.tier);
  await writeRecord(context, flags, {
    ...record,
    plan: seen.tier,
    credits_left,
    ...outcome,
    rest_url,
    streaming_url,
  });
  return exit;
}

/** A stored key is not sent to a host that only an environment variable names. */
function mayUse(found: FoundKey, tier: Tier, options: RunOptions): boolean {
  try {
    checkNamedHosts(found, plans[tier].hosts, options);
    return true;
  } catch (cause) {
    asFailure(cause);
    return false;
  }
}

/** With the exit code of the next command with this key, and the tier that it uses. */
type KeptPlan =
  | { readonly exit: ExitCode; readonly problem: string }
  | { readonly exit: 0; readonly tier: Tier; readonly note?: string };

/** Saves the plan if it is new. A variable has precedence over it. */
async function keepPlan({ context, options }: Run, found: FoundKey, plan: Tier): Promise<KeptPlan> {
  const { key, tier, kept } = found;
  const { value: set, where } = options.settings.tier;
  const known = plansIn(readCredentials(context), key);
  const isNew = known.length === 0 || known.some((each) => each.tier !== plan);
  const unsaved =
    isNew && set !== plan
      ? await savePlan(context, key, plan, hostsOf(options, plan)).then(() => undefined, asFailure)
      : undefined;
  if (set !== undefined && set !== plan) {
    const isRightHost = plans[set].hosts === plans[plan].hosts;
    const problem = `the service applied the ${plan} plan, not ${set}; unset ${where}, or set it to ${plan}`;
    return { exit: isRightHost ? 0 : 4, problem };
  }
  if (unsaved !== undefined)
    return {
      exit: 0,
      problem: `set DEXDATA_TIER=${plan}, because the plan was not saved: ${unsaved.message}`,
    };
  if (tier !== undefined && tier !== plan)
    return { exit: 0, tier: plan, note: `the plan was ${tier}; the new one is saved` };
  if (tier === undefined && kept?.rest === undefined)
    return {
      exit: 0,
      tier: plan,
      note: "the plan is saved under a hash of the key, so DEXDATA_TIER is not required on this machine",
    };
  return { exit: 0, tier: plan };
}
