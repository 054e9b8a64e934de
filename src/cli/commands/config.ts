import type { Context } from "../../model/context.ts";
import type { ExitCode } from "../../model/failure.ts";
import { configPath } from "../../settings/config-file.ts";
import { listSettings, setSetting, settingNamed, unsetSetting } from "../../settings/edit-config.ts";
import type { FlagValues } from "../flags.ts";
import { expectWords, writeRows } from "../local-output.ts";

export async function get(words: readonly string[], _flags: FlagValues, context: Context): Promise<ExitCode> {
  expectWords(words, 1, "config get <name>");
  const [name = ""] = words;
  settingNamed(name);
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
  if (!wasSet) await context.stderr.write(`dexdata: ${name} was not set\n`);
  return 0;
}

export async function list(words: readonly string[], flags: FlagValues, context: Context): Promise<ExitCode> {
  expectWords(words, 0, "config list");
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
