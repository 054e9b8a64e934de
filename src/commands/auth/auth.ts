import type { Target } from "../../client/connection/target.ts";
import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { Failure, usageFailure } from "../../contract/failure.ts";
import { checkKeyForm, maskKey, MAX_KEY_BYTES } from "../../contract/key.ts";
import type { LocalOutputFlags, SharedValues } from "../../run/flags/shared-flags.ts";
import { tierSourceOf } from "../../run/open-client.ts";
import { exactNumber, expectWords, writeRecord } from "../../run/output/local-output.ts";
import { say, sayWarning } from "../../run/report.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { defaultProfile, readCredentials } from "../../settings/credentials.ts";
import { rememberTier, saveProfile } from "../../settings/edit-credentials.ts";
import { findKey, type FoundKey, readKeyFile } from "../../settings/find-key.ts";
import { checkKeyHosts } from "../../settings/key-hosts.ts";
import { askPlan, findPlan, hostsOf, type SentKey } from "./find-plan.ts";
import { profileName, sayRival } from "./profiles.ts";

interface LookupInput {
  readonly words: readonly string[];
  readonly flags: SharedValues;
}

export async function login({ words, flags }: LookupInput, outer: Context): Promise<ExitCode> {
  if (words.length > 0) {
    throw usageFailure(
      "do not pass the key as an argument: it would be visible in the shell history and the process list",
      "pipe it in, or enter it at the prompt: dexdata auth login",
    );
  }
  return await withRun(flags, outer, storeKey);
}

async function storeKey(run: Run): Promise<ExitCode> {
  const { context, options } = run;
  if (options.sandbox !== undefined) {
    throw usageFailure(
      "auth login cannot be used with DEXDATA_SANDBOX: the sandbox has its own keys",
      "unset DEXDATA_SANDBOX",
    );
  }
  const name = profileName(context, options.profile) ?? defaultProfile;
  const { key, source } = await readKey(context, options);
  const refused = checkKeyForm(key);
  if (refused !== undefined) throw usageFailure(`invalid key: ${refused.problem}`, refused.next);
  const { plan, creditsLeft } = await findPlan(run, { key, source });
  const { problem } = readCredentials(context);
  if (problem !== undefined)
    await sayWarning(context, `${problem}; the old file will be backed up and replaced`);
  const profile = { key, tier: plan, ...hostsOf(options, plan) };
  const { backup } = await saveProfile(context, name, profile, { replaceBroken: problem !== undefined });
  if (backup !== undefined) await say(context, `backup of the old file: ${backup}`);
  const left = creditsLeft === undefined ? "" : `, ${creditsLeft} credits left`;
  await say(context, `stored as profile "${name}": ${plan} plan${left}`);
  await sayRival(context, options.settings, name);
  return 0;
}

export async function status({ words, flags }: LookupInput, outer: Context): Promise<ExitCode> {
  expectWords(words, 0, "auth status");
  return await withRun(flags, outer, async (run) => await showStatus(run, flags));
}

async function showStatus(run: Run, flags: LocalOutputFlags): Promise<ExitCode> {
  const { context, options, report } = run;
  if (options.sandbox !== undefined) {
    const { client } = await run.open({ over: () => undefined });
    return await statusOfTarget(run, flags, client.target);
  }
  const { settings } = options;
  const { found, warnings } = await findKey(context, options, settings);
  for (const warning of [...settings.warnings, ...warnings]) report.warn(warning);
  await report.settled();
  if (found !== undefined) checkKeyHosts(found, options);
  if (found !== undefined && found.tier === undefined) return await statusWithoutTier(run, flags, found);
  const tier = found?.tier ?? settings.tier.value ?? "keyless";
  return await statusOfTarget(run, flags, {
    ...hostsOf(options, tier),
    tier,
    tierSource: tierSourceOf(options),
    key: found?.key,
    keySource: found?.source,
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
  const problem = plan === tier ? undefined : `the service applied the ${plan} plan, not ${tier}`;
  return await writeRecord(run.context, flags, { ...record, plan, credits_left, problem, ...hosts });
}

/** dexdata does not guess the host. As in `auth login`, it sends a request to each host. */
async function statusWithoutTier(
  run: Run,
  flags: LocalOutputFlags,
  { key, source }: FoundKey,
): Promise<ExitCode> {
  const { context, options } = run;
  const seen = await findPlan(run, { key, source }).catch(asFailure);
  const record = { key: maskKey(key), source, tier: "unknown" };
  if (seen instanceof Failure) {
    await writeRecord(context, flags, { ...record, problem: seen.message });
    return seen.exit;
  }
  const { plan } = seen;
  const credits_left = exactNumber(seen.creditsLeft);
  const { rest: rest_url, streaming: streaming_url } = hostsOf(options, plan);
  const unsaved = await rememberTier(context, key, plan).then(() => undefined, asFailure);
  const known = { ...record, ...(unsaved === undefined && { tier: plan }), plan, credits_left };
  const note =
    unsaved === undefined
      ? { note: "the plan is saved under a hash of the key, so DEXDATA_TIER is not required on this machine" }
      : { problem: `set DEXDATA_TIER=${plan}, because the plan was not saved: ${unsaved.message}` };
  return await writeRecord(context, flags, { ...known, ...note, rest_url, streaming_url });
}

async function readKey(context: Context, options: RunOptions): Promise<SentKey> {
  const { stdin, stderr, signal } = context;
  if (options.keyFile !== undefined)
    return { key: (await readKeyFile(context, options.keyFile)).text, source: "--key-file" };
  if (!stdin.isTerminal)
    return { key: (await stdin.read(signal, MAX_KEY_BYTES)).replace(/\r?\n$/u, ""), source: "stdin" };
  const where = destinationOf(options);
  if (where !== undefined) await say(context, where);
  await stderr.write("key (not shown): ");
  try {
    return { key: await stdin.readSecret(signal), source: "the prompt" };
  } finally {
    // The line break is also printed after Ctrl-C, so that the shell prompt starts on a new line.
    await stderr.write("\n");
  }
}

/** Shown before the user types the key, because the environment may contain hosts that the user does not expect. */
function destinationOf({ settings, baseUrl }: RunOptions): string | undefined {
  const { base_url: free, pro_base_url: paid } = settings;
  if (baseUrl !== undefined) return `the key will be sent to ${baseUrl}`;
  if (free.source === "default" && paid.source === "default") return undefined;
  return `the key will be sent to ${free.value} (${free.where}) and ${paid.value} (${paid.where})`;
}
