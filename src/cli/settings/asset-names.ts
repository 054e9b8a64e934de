import path from "node:path";
import type { AddressOf } from "../../api/known-networks.ts";
import { isFixedWord } from "../../api/read-param.ts";
import type { Context } from "../../base/context/context.ts";
import { usageFailure } from "../../base/failure.ts";
import { type JsonFile, readJsonFile, unusableFile } from "../../base/files/json-file.ts";
import { isObject, member } from "../../base/json/json-scan.ts";
import { findFolders } from "../folders.ts";
import { nameOf, subjectKey } from "../../client/subject.ts";
import type { Editing } from "./update-settings-file.ts";

/** An asset that the user gave a name. */
export interface NamedAsset {
  readonly network: string;
  readonly address: string;
  /** Undefined if neither the user nor a response named it. */
  readonly kind: AddressOf | undefined;
}

/** In lower case, because case does not matter. */
export type AssetNames = ReadonlyMap<string, NamedAsset>;

const longestName = 40;

/**
 * Whether a word has the form of a name. Hexadecimal numbers, numbers with dots and long words without punctuation are
 * addresses on some network, so none of them is a name.
 */
export function isAssetName(word: string): boolean {
  if (!/^[\da-z][\w.-]*$/iu.test(word) || word.length > longestName) return false;
  return /[a-z]/iu.test(word) && !/^(?:0x[\da-f]*|[\da-z]{26,})$/iu.test(word) && !isFixedWord(word);
}

export const nameForm =
  `a name has up to ${longestName} letters, digits, "-", "_" and ".", starts with a letter or digit, and has a ` +
  "letter; an address is not a name";

export function namesPath(context: Pick<Context, "env" | "platform">): string {
  return path.join(findFolders(context).config, "names.json");
}

/** Throws a usage failure if the file is damaged, because a run must not take a name for an address. */
export function readAssetNames(context: Pick<Context, "env" | "platform">, service: string): AssetNames {
  return namesIn(readJsonFile(namesPath(context)), service);
}

export function namesIn(file: JsonFile, service: string): AssetNames {
  if ("problem" in file) throw unusableFile(file.problem);
  const stored = file.state === "read" ? member(file.object, service) : undefined;
  const names = new Map<string, NamedAsset>();
  for (const [name, text] of Object.entries(isObject(stored) ? stored : {})) {
    const [, network, address, kind] = /^([^:]+):(\S+)(?: (token|pool))?$/u.exec(String(text)) ?? [];
    if (network === undefined || address === undefined) continue;
    names.set(name, { network, address, kind: kind === "token" || kind === "pool" ? kind : undefined });
  }
  return names;
}

/** Half of what is read, so that a file that was written can always be read. */
const maxBytes = 512 * 1024;

/**
 * Names an asset, or removes the name if `asset` is undefined. Returns whether that changed anything. Another asset is
 * replaced only if `isForced`.
 */
export async function setAssetName(
  context: Editing,
  service: string,
  name: string,
  asset: NamedAsset | undefined,
  isForced = false,
): Promise<boolean> {
  // Most runs only read names.
  const { updateSettingsFile } = await import("./update-settings-file.ts");
  const [file, key] = [namesPath(context), name.toLowerCase()];
  return await updateSettingsFile(context, file, (current) => {
    const names = new Map(namesIn(current, service));
    const before = names.get(key);
    const isSame = before === undefined || asset === undefined || subjectKey(before) === subjectKey(asset);
    if (!isSame && !isForced)
      throw usageFailure(
        `"${key}" is already the name of ${nameOf(before)}`,
        "choose another name, or replace it with --force",
      );
    if (asset !== undefined) names.set(key, asset);
    else if (!names.delete(key)) return { after: undefined, result: false };
    const texts = [...names].map(([each, own]) => [each, `${nameOf(own)} ${own.kind ?? ""}`.trim()]);
    const after = { ...(current.state === "read" && current.object), [service]: Object.fromEntries(texts) };
    if (JSON.stringify(after).length > maxBytes)
      throw usageFailure(`${file} would be larger than ${maxBytes / 1024} KiB`, "remove some names");
    return { after, result: true };
  });
}
