import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { configPath, readConfigFile } from "../../settings/config-file.ts";
import { listSettings, setSetting, settingNamed, unsetSetting } from "../../settings/edit-config.ts";
import { configWarnings } from "../../settings/read-settings.ts";
import type { FlagValues } from "../flags/flags.ts";
import { expectWords, writeRows } from "../output/local-output.ts";
import { say } from "../say.ts";

export async function get(words: readonly string[], _flags: FlagValues, context: Context): Promise<ExitCode> {
  expectWords(words, 1, "config get <name>");
  const [name = ""] = words;
  settingNamed(name);
  await warnOfFile(context);
  const listed = listSettings(context).find(({ setting }) => setting.name === name);
  if (listed === undefined) return 0;
  if ("refused" in listed) throw listed.refused;
  await context.stdout.write(`${listed.sourced.text}\n`);
  return 0;
}

export async function set(words: readonly string[], _flags: FlagValues, context: Context): Promise<ExitCode> {
  expectWords(words, 2, "config set <name> <value>");
  const [name = "", value = ""] = words;
  await setSetting(context, name, value);
  return 0;
}

export async function unset(
  words: readonly string[],
  _flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  expectWords(words, 1, "config unset <name>");
  const [name = ""] = words;
  const wasSet = await unsetSetting(context, name);
  if (!wasSet) await say(context, `dexdata: ${name} was not set`);
  return 0;
}

export async function list(words: readonly string[], flags: FlagValues, context: Context): Promise<ExitCode> {
  expectWords(words, 0, "config list");
  await warnOfFile(context);
  const rows = listSettings(context).map((listed) =>
    "refused" in listed
      ? { name: listed.setting.name, value: "", source: "refused", where: listed.refused.message }
      : {
          name: listed.setting.name,
          value: listed.sourced.text,
          source: listed.sourced.source,
          where: listed.sourced.where,
        },
  );
  return await writeRows(context, flags, rows);
}

export async function path(
  words: readonly string[],
  _flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  expectWords(words, 0, "config path");
  await context.stdout.write(`${configPath(context)}\n`);
  return 0;
}

/** A file that cannot be read would otherwise look like one in which nothing was set. */
async function warnOfFile(context: Context): Promise<void> {
  for (const warning of configWarnings(readConfigFile(context))) {
    await say(context, `dexdata: ${warning}`);
  }
}
