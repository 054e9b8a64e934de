import type { Target } from "../../../client/target.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { asFailure, attempt, Failure } from "../../../base/failure.ts";
import { maskKey } from "../../../base/key.ts";
import { plans, type Tier } from "../../../api/tier.ts";
import type { LocalRow } from "../../render/renderer.ts";
import { tierSourceOf } from "../../run/open-client.ts";
import { exactNumber, expectWords, writeRecord } from "../../run/output/local-output.ts";
import type { RunInput, RunOptions } from "../../run/run-options.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { checkKeyHosts, checkNamedHosts, findKey, type FoundKey } from "../../settings/find-key.ts";
import { plansIn, readCredentials } from "../../settings/credentials.ts";
import { savePlan } from "../../settings/edit-credentials.ts";
import { askPlan, findPlan, hostsOf, otherHost, setTier, unknownPlan } from "./find-plan.ts";

export async function status(input: RunInput, outer: Context): Promise<ExitCode> {
  expectWords(input.words, 0, "auth status");
  return await withRun(input, outer, async (run) => {
    const { exit, ...record } = await statusOf(run);
    await writeRecord(run.context, input.flags, record);
    return exit;
  });
}

/** The exit code, and what is printed. */
type Status = LocalRow & { readonly exit: ExitCode };

async function statusOf(run: Run): Promise<Status> {
  const { context, options, report } = run;
  if (options.sandbox !== undefined) {
    const { client } = await run.open({ onClosed: () => undefined });
    return await statusOfTarget(run, client.target);
  }
  const { settings } = options;
  const { found, warnings } = await findKey(context, options, settings);
  for (const warning of [...settings.warnings, ...warnings]) report.warn(warning);
  await report.settled();
  if (found !== undefined) return await statusOfKey(run, found);
  const tier = settings.tier.value ?? "keyless";
  const none = { key: undefined, keySource: undefined, isSimulated: false };
  return await statusOfTarget(run, {
    ...hostsOf(options, tier),
    ...none,
    tier,
    tierSource: tierSourceOf(options),
  });
}

async function statusOfTarget(run: Run, target: Target): Promise<Status> {
  const { key, keySource, tier, rest, streaming } = target;
  const seen = await askPlan(run, target).catch(asFailure);
  const source = key === undefined ? undefined : keySource;
  const record = { key: key === undefined ? "none" : maskKey(key), source, tier };
  const hosts = { rest_url: rest, streaming_url: streaming };
  if (seen instanceof Failure)
    return { exit: seen.exit, ...record, ...unknown, problem: seen.message, ...hosts };
  const { plan } = seen;
  const credits_left = exactNumber(seen.creditsLeft);
  const problem =
    plan === tier ? undefined : `the service applied the ${plan ?? "unknown"} plan, not ${tier}`;
  return { exit: 0, ...record, plan, credits_left, problem, ...hosts };
}

/** Formats with columns have these even if they are unknown. */
const unknown = { plan: undefined, credits_left: undefined };

/**
 * Looks up the plan, even if it is known, because it may have changed. The result is saved where the key's plan is kept,
 * so that the next command uses the right host.
 */
async function statusOfKey(run: Run, found: FoundKey): Promise<Status> {
  const { options } = run;
  const { key, source, tier } = found;
  const first = tier === undefined || plans[tier].hosts === "free" ? "free" : "pro";
  if (tier === undefined) checkKeyHosts(found, options);
  else checkNamedHosts(found, plans[first].hosts, options);
  const mayAskOther = mayUse(found, otherHost(first), options);
  const known = tier === undefined ? undefined : ({ host: first, mayAskOther } as const);
  const seen = await findPlan(run, found, known).catch(asFailure);
  const record = { key: maskKey(key), source, tier: tier ?? "unknown" };
  const hostsFor = (plan: Tier): LocalRow => {
    const { rest, streaming } = hostsOf(options, plan);
    return { rest_url: rest, streaming_url: streaming };
  };
  if (seen instanceof Failure) {
    const { message: problem, exit } = seen;
    if (tier === undefined) return { exit, ...record, problem };
    return { exit, ...record, ...unknown, problem, ...hostsFor(first) };
  }
  const credits_left = exactNumber(seen.creditsLeft);
  if (seen.tier === undefined) {
    const problem = `${unknownPlan(seen.plan)}; ${tier === undefined ? setTier : `dexdata uses it as ${tier}`}`;
    return { exit: tier === undefined ? 4 : 0, ...record, plan: seen.plan, credits_left, problem };
  }
  const outcome = await keepPlan(run, found, seen.tier);
  return { ...record, plan: seen.tier, credits_left, ...outcome, ...hostsFor(seen.tier) };
}

/** A stored key is not sent to a host that only an environment variable names. */
function mayUse(found: FoundKey, tier: Tier, options: RunOptions): boolean {
  return !(attempt(() => checkNamedHosts(found, plans[tier].hosts, options)) instanceof Failure);
}

/**
 * Saves the plan if it is new. A variable has precedence over it. Returns the exit code of the next command with this
 * key, and the tier that it uses.
 */
async function keepPlan({ context, options }: Run, found: FoundKey, plan: Tier): Promise<Status> {
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
  const problem = `set DEXDATA_TIER=${plan}, because the plan was not saved: ${unsaved?.message}`;
  if (unsaved !== undefined) return { exit: 0, problem };
  if (tier !== undefined && tier !== plan)
    return { exit: 0, tier: plan, note: `the plan was ${tier}; the new one is saved` };
  const note = "the plan is saved under a hash of the key, so DEXDATA_TIER is not required on this machine";
  return { exit: 0, tier: plan, ...(tier === undefined && kept?.rest === undefined && { note }) };
}
