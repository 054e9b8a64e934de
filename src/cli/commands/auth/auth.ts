import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { fail, usageFailure } from "../../../base/failure.ts";
import { checkKeyForm, MAX_KEY_BYTES } from "../../../base/key.ts";
import type { Tier } from "../../../api/tier.ts";
import { grouped } from "../../../base/text/words.ts";
import { writeLine, writeWarning } from "../../run/report.ts";
import type { RunInput, RunOptions } from "../../run/run-options.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { credentialsPath, defaultProfile, readCredentials } from "../../settings/credentials.ts";
import { saveProfile } from "../../settings/edit-credentials.ts";
import { readKeyFile } from "../../settings/find-key.ts";
import { updateSettingsFile } from "../../settings/update-settings-file.ts";
import { findPlan, hostsOf, type SeenPlan, type SentKey, setTier, unknownPlan } from "./find-plan.ts";
import { profileName, sayRival } from "./profiles.ts";

export async function login(input: RunInput, outer: Context): Promise<ExitCode> {
  if (input.words.length > 0) {
    throw usageFailure(
      "do not pass the key as an argument: it would be visible in the shell history and the process list",
      "pipe it in, or enter it at the prompt: dexdata auth login",
    );
  }
  return await withRun(input, outer, storeKey);
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
  // The request for the plan costs a credit, so it is not sent if the key cannot be stored.
  await updateSettingsFile(context, credentialsPath(context), () => ({
    after: undefined,
    result: undefined,
  }));
  const found = await findPlan(run, { key, source });
  const { creditsLeft } = found;
  const plan = found.tier ?? namedPlan(options, found);
  const { problem } = readCredentials(context);
  if (problem !== undefined)
    await writeWarning(context, `${problem}; the old file will be backed up and replaced`);
  const profile = { key, tier: plan, ...hostsOf(options, plan) };
  const { backup } = await saveProfile(context, name, profile, { replaceBroken: problem !== undefined });
  if (backup !== undefined) await writeLine(context, `backup of the old file: ${backup}`);
  const left = creditsLeft === undefined ? "" : `, ${grouped(creditsLeft)} credits left`;
  await writeLine(context, `stored as profile "${name}": ${plan} plan${left}`);
  await sayRival(context, options.settings, name);
  return 0;
}

/** A plan that dexdata does not know yet can still be used on the hosts of one that it knows. */
function namedPlan({ settings }: RunOptions, { plan }: SeenPlan): Tier {
  const { value } = settings.tier;
  if (value !== undefined && value !== "keyless") return value;
  throw fail("other_plan", unknownPlan(plan), { next: `${setTier}, and run it again` });
}

async function readKey(context: Context, options: RunOptions): Promise<SentKey> {
  const { stdin, stderr, signal } = context;
  if (options.keyFile !== undefined)
    return { key: (await readKeyFile(context, options.keyFile)).text, source: "--key-file" };
  if (!stdin.isTerminal)
    return { key: (await stdin.read(signal, MAX_KEY_BYTES)).replace(/\r?\n$/u, ""), source: "stdin" };
  const where = destinationOf(options);
  if (where !== undefined) await writeLine(context, where);
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
