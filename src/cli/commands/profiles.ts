import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { usageFailure } from "../../contract/failure.ts";
import { maskKey } from "../../contract/key.ts";
import { type Credentials, readCredentials } from "../../settings/credentials.ts";
import { removeAllProfiles, removeProfile, switchProfile } from "../../settings/edit-credentials.ts";
import { readSettings } from "../../settings/read-settings.ts";
import type { FlagValues } from "../flags/flags.ts";
import { readText } from "../flags/read-flag.ts";
import { expectWords, hasParts, writeRows } from "../output/local-output.ts";
import { say } from "../say.ts";
import { profileName } from "./profile-name.ts";
import { rivalOf } from "./rival-key.ts";

/** Every stored key, without asking anybody. */
export async function list(words: readonly string[], flags: FlagValues, context: Context): Promise<ExitCode> {
  expectWords(words, 0, "auth list");
  const credentials = readCredentials(context);
  const { problem, exposure, profiles } = credentials;
  if (problem !== undefined) throw usageFailure(problem, "store the key again: dexdata auth login");
  if (exposure !== undefined) await say(context, `dexdata: ${exposure}`);
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
export async function switchTo(
  words: readonly string[],
  _flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
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
  words: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  expectWords(words, 0, "auth logout");
  const named = profileName(context, readText(flags, "profile"));
  if (flags["all"] === true) {
    if (flags["profile"] !== undefined)
      throw usageFailure("--all and --profile: all keys, or one of them", "give one of the two");
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
