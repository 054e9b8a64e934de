import type { Context } from "../context/context.ts";
import { withoutSecrets } from "../contract/key.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import type { Setting } from "./setting.ts";
import { readSetting, type Settings, settings, type Sourced } from "./settings.ts";

/**
 * Environment, then config.json, then default; flags are the command line's part. A value that is not accepted
 * throws a usage failure, since going on with another than the one asked for would surprise.
 */
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
    timeout: read(settings.timeout),
    page_size: read(settings.page_size),
    rpm: read(settings.rpm),
    budget_daily: read(settings.budget_daily),
    profile: read(settings.profile),
    key_command: read(settings.key_command),
    tier: read(settings.tier),
    warnings: configWarnings(config),
  };
}

/** For stderr, each beginning with the path of the file. */
export function configWarnings({ problem, path, values }: ConfigFile): readonly string[] {
  if (problem !== undefined) return [`${problem}; going on without it`];
  const known: readonly Setting<unknown>[] = Object.values(settings);
  const kept = known.filter((setting) => !setting.environmentOnly).map((setting) => setting.name);
  return [...values.keys()]
    .filter((name) => !kept.includes(name))
    .map((name) => `${path}: "${withoutSecrets(name)}" is no setting of this file; going on without it`);
}
