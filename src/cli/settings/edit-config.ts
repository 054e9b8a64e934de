import type { Context } from "../../base/context/context.ts";
import { attempt, invalidInput, usageFailure } from "../../base/failure.ts";
import { withoutSecrets } from "../../base/key.ts";
import { didYouMean, nearest } from "../../base/text/nearest.ts";
import { configPath, readConfigFile } from "./read-settings.ts";
import { type JsonFile, unusableFile } from "../../base/files/json-file.ts";
import { label, readSetting, type Setting, settings } from "../../client/settings.ts";
import { type Editing, updateSettingsFile } from "./update-settings-file.ts";

export const allSettings: readonly Setting<unknown>[] = Object.values(settings);

/** Throws a usage failure that suggests the nearest name. */
export function settingNamed(name: string): Setting<unknown> {
  const found = allSettings.find((setting) => setting.name === name);
  if (found !== undefined) return found;
  const shown = withoutSecrets(name);
  if (/^(?:api_?)?key$/iu.test(name)) {
    throw usageFailure(
      `unknown setting "${shown}": keys are stored separately`,
      "store a key: dexdata auth login",
    );
  }
  const names = allSettings.map((setting) => setting.name);
  const next = didYouMean(nearest(name, names), "list all settings: dexdata config list");
  throw usageFailure(`unknown setting "${shown}"`, next);
}

/** Throws the same usage failures as when an invalid setting is read. */
export async function setSetting(context: Editing, name: string, text: string): Promise<void> {
  const setting = settingNamed(name);
  if (setting.only === "environment") {
    throw usageFailure(
      `${name} cannot be saved in config.json`,
      `set ${setting.variable} in the environment`,
    );
  }
  const checked = setting.check(text);
  if ("problem" in checked) throw invalidInput(label(name, text), checked.problem, checked.next);
  // Durations keep their unit, hosts lose a trailing slash, and numbers are stored as JSON numbers.
  const isNumber = typeof checked.value === "number" && /^\d+$/u.test(text);
  const written = typeof checked.value === "string" || isNumber ? checked.value : text;
  await updateSettingsFile(context, configPath(context), (current) => ({
    after: { ...objectOf(current), [name]: written },
    result: undefined,
  }));
}

/** Returns whether the name was set. Unknown names in the file can be removed as well. */
export async function unsetSetting(context: Editing, name: string): Promise<boolean> {
  const config = readConfigFile(context);
  if (config.problem === undefined && !config.values.has(name)) {
    settingNamed(name);
    return false;
  }
  return await updateSettingsFile(context, config.path, (current) => {
    const { [name]: removed, ...rest } = objectOf(current);
    const wasSet = removed !== undefined;
    return { after: wasSet ? rest : undefined, result: wasSet };
  });
}

/** An invalid value is listed with its failure, which is not thrown. */
export function listSettings(context: Pick<Context, "env" | "platform">) {
  const config = readConfigFile(context);
  return allSettings.map((setting) => ({
    name: setting.name,
    read: attempt(() => readSetting(context, config, setting)),
  }));
}

function objectOf(current: JsonFile): Readonly<Record<string, unknown>> {
  if ("problem" in current) throw unusableFile(current.problem);
  return current.state === "read" ? current.object : {};
}
