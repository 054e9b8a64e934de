import type { Context } from "../../context/context.ts";
import { readCredentials } from "../../settings/credentials.ts";
import type { Settings } from "../../settings/settings.ts";

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
