import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { Failure } from "../../../base/failure.ts";
import { exactNumber, expectWords, writeRows } from "../../run/output/local-output.ts";
import { writeWarning } from "../../run/report.ts";
import type { RunInput } from "../../run/run-options.ts";
import { listSettings, setSetting, settingNamed, unsetSetting } from "../../settings/edit-config.ts";
import { configPath, configWarnings, readConfigFile } from "../../settings/read-settings.ts";
import { readSetting } from "../../../client/settings.ts";

export async function get({ words }: RunInput, context: Context): Promise<ExitCode> {
  expectWords(words, 1, "config get <name>");
  const setting = settingNamed(words[0] ?? "");
  await warnOfFile(context);
  await context.stdout.write(`${readSetting(context, readConfigFile(context), setting).text}\n`);
  return 0;
}

export async function set({ words }: RunInput, context: Context): Promise<ExitCode> {
  expectWords(words, 2, "config set <name> <value>");
  const [name = "", value = ""] = words;
  await setSetting(context, name, value);
  return 0;
}

export async function unset({ words }: RunInput, context: Context): Promise<ExitCode> {
  expectWords(words, 1, "config unset <name>");
  const [name = ""] = words;
  if (!(await unsetSetting(context, name))) await writeWarning(context, `${name} was not set`);
  return 0;
}

export async function list({ words, flags }: RunInput, context: Context): Promise<ExitCode> {
  expectWords(words, 0, "config list");
  await warnOfFile(context);
  const rows = listSettings(context).map(({ name, read }) => {
    if (read instanceof Failure) return { name, value: "", source: "refused", where: read.message };
    const { value, text, source, where } = read;
    return { name, value: typeof value === "number" ? exactNumber(text) : text, source, where };
  });
  return await writeRows(context, flags, rows);
}

export async function path({ words }: RunInput, context: Context): Promise<ExitCode> {
  expectWords(words, 0, "config path");
  await context.stdout.write(`${configPath(context)}\n`);
  return 0;
}

/** Without these warnings, an unreadable file would look like a file without settings. */
async function warnOfFile(context: Context): Promise<void> {
  for (const warning of configWarnings(readConfigFile(context))) await writeWarning(context, warning);
}
