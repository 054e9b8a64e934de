import path from "node:path";
import type { Context } from "../../base/context/context.ts";
import { attempt, Failure } from "../../base/failure.ts";
import { withoutSecrets } from "../../base/key.ts";
import { readJsonFile } from "../../base/files/json-file.ts";
import { didYouMean, nearest } from "../../base/text/nearest.ts";
import { findFolders } from "../folders.ts";
import {
  type ConfigFile,
  readSetting,
  type Setting,
  type Settings,
  settings,
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
    problem: "problem" in content ? content.problem : undefined,
    isDamaged: content.state === "damaged",
  };
}

/** Flags are applied elsewhere. An invalid value is a usage failure, because using another one would be surprising. */
export function readSettings(context: Pick<Context, "env" | "platform">): Settings;
export function readSettings(context: Pick<Context, "env" | "platform">): object {
  const config = readConfigFile(context);
  const all: readonly (readonly [string, Setting<unknown>])[] = Object.entries(settings);
  const read = all.map(([name, setting]) => [name, readSetting(context, config, setting)] as const);
  const damaged = config.isDamaged ? config.problem : undefined;
  return { ...Object.fromEntries(read), damaged, warnings: configWarnings(config) };
}

/** The value, or undefined if the setting is invalid: help and local output must not fail because of it. */
export function settledValue<T>(context: Context, setting: Setting<T>): T | undefined {
  const read = attempt(() => readSetting(context, readConfigFile(context), setting));
  return read instanceof Failure ? undefined : read.value;
}

/** Each warning starts with the file's path. */
export function configWarnings({ problem, path: file, values }: ConfigFile): readonly string[] {
  if (problem !== undefined) return [`${problem}; ignoring the file`];
  const known: readonly Setting<unknown>[] = Object.values(settings);
  const kept = known.filter(({ only }) => only !== "environment").map((setting) => setting.name);
  return [...values.keys()]
    .filter((name) => !kept.includes(name))
    .map((name) => {
      const hint = didYouMean(nearest(name, kept), undefined);
      const ignored = `"${withoutSecrets(name)}" is not a valid setting in this file; ignoring it`;
      return `${file}: ${ignored}${hint === undefined ? "" : `; ${hint}`}`;
    });
}
