import path from "node:path";
import type { Context } from "../../base/context/context.ts";
import { withoutSecrets } from "../../base/key.ts";
import { readJsonFile } from "../../base/files/json-file.ts";
import { findFolders } from "../folders.ts";
import {
  type ConfigFile,
  readSetting,
  type Setting,
  type Settings,
  settings,
  type Sourced,
} from "../../client/settings.ts";

export function configPath(context: Pick<Context, "env" | "platform">): string {
  return path.join(findFolders(context).config, "config.json");
}

export function readConfigFile(context: Pick<Context, "env" | "platform">): ConfigFile {
  const file = configPath(context);
  const content = readJsonFile(file);
  const members = content.state === "read" ? Object.entries(content.object) : [];
  // Values other than strings are converted to JSON. No setting accepts an object, an array or null as JSON.
  const values = members.map(
    ([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const,
  );
  return {
    path: file,
    values: new Map(values),
    problem: content.state === "broken" ? content.problem : undefined,
  };
}

/** Flags are applied elsewhere. An invalid value is a usage failure, because using another one would be surprising. */
export function readSettings(context: Pick<Context, "env" | "platform">): Settings {
  const config = readConfigFile(context);
  const read = <T>(setting: Setting<T>): Sourced<T> => readSetting(context, config, setting);
  return {
    base_url: read(settings.base_url),
    pro_base_url: read(settings.pro_base_url),
    streaming_url: read(settings.streaming_url),
    streaming_pro_url: read(settings.streaming_pro_url),
    output: read(settings.output),
    color: read(settings.color),
    retries: read(settings.retries),
    retry_on: read(settings.retry_on),
    timeout: read(settings.timeout),
    page_size: read(settings.page_size),
    rpm: read(settings.rpm),
    budget_daily: read(settings.budget_daily),
    profile: read(settings.profile),
    key_command: read(settings.key_command),
    tier: read(settings.tier),
    sandbox: read(settings.sandbox),
    warnings: configWarnings(config),
  };
}

/** Each warning starts with the file's path. */
export function configWarnings({ problem, path: file, values }: ConfigFile): readonly string[] {
  if (problem !== undefined) return [`${problem}; ignoring the file`];
  const known: readonly Setting<unknown>[] = Object.values(settings);
  const kept = known.filter(({ only }) => only !== "environment").map((setting) => setting.name);
  return [...values.keys()]
    .filter((name) => !kept.includes(name))
    .map((name) => `${file}: "${withoutSecrets(name)}" is not a valid setting in this file; ignoring it`);
}
