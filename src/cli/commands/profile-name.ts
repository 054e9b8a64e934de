import type { Context } from "../../context/context.ts";
import { usageFailure } from "../../contract/failure.ts";
import { checkProfileName, label } from "../../settings/setting.ts";
import { readSettings } from "../../settings/read-settings.ts";

/** The profile that was named, by flag, environment or config.json; the settings are checked already. */
export function profileName(context: Context, typed: string | undefined): string | undefined {
  if (typed === undefined) return readSettings(context).profile.value;
  const checked = checkProfileName(typed);
  if ("problem" in checked) throw usageFailure(`${label("--profile", typed)}: ${checked.problem}`);
  return typed;
}
