import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { invalidInput, usageFailure } from "../../../base/failure.ts";
import { maskKey } from "../../../base/key.ts";
import type { Flag } from "../../run/flags/flag.ts";
import type { localRowFlags } from "../../run/flags/shared-flags.ts";
import { expectWords, writeRows } from "../../run/output/local-output.ts";
import { writeLine, writeWarning } from "../../run/report.ts";
import { addProfile, type Credentials, readCredentials } from "../../settings/credentials.ts";
import { removeProfile, switchProfile } from "../../settings/edit-credentials.ts";
import { readSettings } from "../../settings/read-settings.ts";
import { checkProfileName, label, type Settings } from "../../../client/settings.ts";
import type { Input } from "../command.ts";

export async function list(
  { words, flags }: Input<typeof localRowFlags>,
  context: Context,
): Promise<ExitCode> {
  expectWords(words, 0, "auth list");
  const credentials = readCredentials(context);
  const { exposure, active } = credentials;
  const profiles = readableProfiles(credentials);
  if (exposure !== undefined) await writeWarning(context, exposure);
  const settings = readSettings(context);
  const used = settings.profile.value ?? active;
  const rows = [...profiles].map(([name, { key, tier, savedAt, rest }]) => ({
    profile: name,
    in_use: name === used,
    key: maskKey(key),
    tier,
    stored: savedAt,
    rest_url: rest ?? null,
  }));
  if (rows.length === 0) await writeLine(context, "no key stored; add one: dexdata auth login");
  await writeRows(context, flags, rows);
  if (rows.length > 0) await sayRival(context, settings, used);
  return 0;
}

/** If there are only two profiles, the user does not have to name the other one. */
export async function switchTo(words: readonly string[], context: Context): Promise<ExitCode> {
  if (words.length > 1) throw usageFailure("usage: dexdata auth switch [profile]");
  const name = words[0] ?? otherOf(readCredentials(context));
  const { tier } = await switchProfile(context, name);
  await writeLine(context, `switched to profile "${name}": ${tier} plan`);
  await sayRival(context, readSettings(context), name);
  return 0;
}

function readableProfiles({ problem, profiles }: Credentials): Credentials["profiles"] {
  if (problem === undefined) return profiles;
  throw usageFailure(problem, "store the key again: dexdata auth login");
}

function otherOf(credentials: Credentials): string {
  const names = [...readableProfiles(credentials).keys()];
  const others = names.filter((name) => name !== credentials.active);
  const [only] = others;
  if (only === undefined) throw usageFailure("no other profile to switch to", addProfile);
  if (others.length === 1) return only;
  throw usageFailure(
    "missing <profile>: more than two profiles are stored",
    `choose one of: ${others.join(", ")}`,
  );
}

export async function logout(
  { words, flags }: Input<{ all: Flag<true>; profile: Flag<string> }>,
  context: Context,
): Promise<ExitCode> {
  expectWords(words, 0, "auth logout");
  const named = profileName(context, flags.profile);
  const name = flags.all === true ? undefined : (named ?? readCredentials(context).active);
  const { profiles, files, left } = await removeProfile(context, name);
  const isRemoved = profiles.length > 0;
  if (name !== undefined)
    await writeLine(context, `${isRemoved ? "removed the key of" : "no key stored for"} profile "${name}"`);
  else if (isRemoved) await writeLine(context, `removed all stored keys: ${profiles.join(", ")}`);
  else if (files.length === 0) await writeLine(context, "no key stored");
  // No file that may contain a key remains without being named.
  for (const file of files) await writeLine(context, `removed ${file}, which may have contained a key`);
  const next =
    name === undefined
      ? "dexdata did not create it or cannot delete it"
      : "to remove all keys and backups: dexdata auth logout --all";
  for (const file of left) await writeWarning(context, `${file} may contain a key; ${next}`);
  await suggestSwitch(context);
  return 0;
}

/** Without an active key, later commands would be keyless although keys are stored. */
async function suggestSwitch(context: Context): Promise<void> {
  const { active, profiles } = readCredentials(context);
  const names = [...profiles.keys()];
  if (names.length === 0 || profiles.has(active) || profileName(context, undefined) !== undefined) return;
  const chosen = names.length === 1 ? names.join("") : "<profile>";
  await writeLine(context, `  no stored key is active; to use another one: dexdata auth switch ${chosen}`);
}

/** The flag, the environment or config.json selects the profile. The settings have already been checked. */
export function profileName(context: Context, typed: string | undefined): string | undefined {
  if (typed === undefined) return readSettings(context).profile.value;
  const checked = checkProfileName(typed);
  if ("problem" in checked) throw invalidInput(label("--profile", typed), checked.problem);
  return typed;
}

/** Shows why the next command uses a key other than this profile's, and how to change that. */
export async function sayRival(context: Context, settings: Settings, name: string): Promise<void> {
  const rival = rivalOf(context, settings, name);
  if (rival !== undefined) await writeLine(context, `  ${rival}`);
}

function rivalOf(context: Context, { profile, key_command }: Settings, name: string): string | undefined {
  if ((context.env["DEXDATA_API_KEY"] ?? "") !== "")
    return "DEXDATA_API_KEY is set and overrides stored keys";
  const { value, source } = profile;
  if (source === "environment")
    return value === name ? undefined : `DEXDATA_PROFILE is ${value} and overrides this profile`;
  if (key_command.value !== undefined)
    return "key_command is set and overrides stored keys; remove the setting: dexdata config unset key_command";
  if (value !== undefined && value !== name)
    return `the profile setting is ${value} and overrides this profile; remove the setting: dexdata config unset profile`;
  const { active } = readCredentials(context);
  if (value === name || active === name) return undefined;
  return `profile "${active}" stays active; to use this one: --profile ${name}, or dexdata auth switch ${name}`;
}
