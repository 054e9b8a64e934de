import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { usageFailure } from "../../contract/failure.ts";
import { maskKey } from "../../contract/key.ts";
import { type Credentials, readCredentials } from "../../settings/credentials.ts";
import { removeAllProfiles, removeProfile, switchProfile } from "../../settings/edit-credentials.ts";
import { readSettings } from "../../settings/read-settings.ts";
import type { Input } from "../command.ts";
import type { Flags } from "../../run/flags/flag.ts";
import type { localRowFlags, sharedFlags } from "../../run/flags/shared-flags.ts";
import type { logoutFlags } from "./auth-flags.ts";
import { expectWords, hasParts, writeRows } from "../../run/output/local-output.ts";
import { say, sayWarning } from "../../run/report.ts";
import { checkProfileName, label } from "../../settings/setting.ts";
import type { Settings } from "../../settings/settings.ts";

/** Every stored key, without asking anybody. */
export async function list(
  { words, flags }: Input<typeof localRowFlags>,
  context: Context,
): Promise<ExitCode> {
  expectWords(words, 0, "auth list");
  const credentials = readCredentials(context);
  const { problem, exposure, profiles } = credentials;
  if (problem !== undefined) throw usageFailure(problem, "store the key again: dexdata auth login");
  if (exposure !== undefined) await sayWarning(context, exposure);
  const used = readSettings(context).profile.value ?? credentials.active;
  const rows = [...profiles].map(([name, { key, tier, savedAt, rest }]) => ({
    profile: name,
    in_use: name === used ? "yes" : "no",
    key: maskKey(key),
    tier,
    stored: savedAt,
    rest_url: rest ?? null,
  }));
  if (rows.length === 0) await say(context, "no key is stored; store one with: dexdata auth login");
  if (rows.length > 0 || hasParts(context, flags)) await writeRows(context, flags, rows);
  const rival = rows.length === 0 ? undefined : rivalOf(context, readSettings(context), used);
  if (rival !== undefined) await say(context, `  ${rival}`);
  return 0;
}

/** Makes a stored profile the one in use; of two, the other needs no name. */
export async function switchTo({ words }: Input<Flags>, context: Context): Promise<ExitCode> {
  if (words.length > 1) throw usageFailure("usage: dexdata auth switch [profile]");
  const name = words[0] ?? otherOf(readCredentials(context));
  const { tier } = await switchProfile(context, name);
  await say(context, `profile "${name}" is in use now: ${tier} plan`);
  const rival = rivalOf(context, readSettings(context), name);
  if (rival !== undefined) await say(context, `  ${rival}`);
  return 0;
}

function otherOf({ problem, profiles, active }: Credentials): string {
  if (problem !== undefined) throw usageFailure(problem, "store the key again: dexdata auth login");
  const others = [...profiles.keys()].filter((name) => name !== active);
  const [only] = others;
  if (only !== undefined && others.length === 1) return only;
  throw usageFailure(
    others.length === 0 ? "there is no other profile to switch to" : "auth switch: which profile is meant?",
    others.length === 0
      ? "store one with: dexdata auth login --profile <name>"
      : `one of: ${others.join(", ")}`,
  );
}

export async function logout(
  { words, flags }: Input<typeof logoutFlags & Pick<typeof sharedFlags, "profile">>,
  context: Context,
): Promise<ExitCode> {
  expectWords(words, 0, "auth logout");
  const named = profileName(context, flags.profile);
  if (flags.all === true) {
    const names = await removeAllProfiles(context);
    await say(
      context,
      names.length === 0 ? "no key is stored" : `removed every stored key: ${names.join(", ")}`,
    );
    return 0;
  }
  const name = named ?? readCredentials(context).active;
  const wasStored = await removeProfile(context, name);
  await say(
    context,
    wasStored ? `removed the key of profile "${name}"` : `no key is stored as profile "${name}"`,
  );
  return 0;
}

/** The profile that was named, by flag, environment or config.json; the settings are checked already. */
export function profileName(context: Context, typed: string | undefined): string | undefined {
  if (typed === undefined) return readSettings(context).profile.value;
  const checked = checkProfileName(typed);
  if ("problem" in checked) throw usageFailure(`${label("--profile", typed)}: ${checked.problem}`);
  return typed;
}

/** What makes the next command use another key than that of this profile, and what to do about it. */
export function rivalOf(
  context: Context,
  { profile, key_command }: Settings,
  name: string,
): string | undefined {
  const typed = context.env["DEXDATA_API_KEY"];
  if (typed !== undefined && typed !== "") return "DEXDATA_API_KEY is set, and goes before a stored key";
  const named = profile.source === "environment" ? profile : undefined;
  if (named === undefined && key_command.value !== undefined)
    return "key_command is set, and goes before a stored key; take it back with: dexdata config unset key_command";
  if (profile.value === name) return undefined;
  if (profile.value !== undefined)
    return named === undefined
      ? `profile is set to ${profile.value}, and goes before it; take it back with: dexdata config unset profile`
      : `DEXDATA_PROFILE is ${profile.value}, and goes before it`;
  const { active } = readCredentials(context);
  if (active === name) return undefined;
  return `profile "${active}" stays the one in use; for this one: --profile ${name}, or dexdata auth switch ${name}`;
}
