import path from "node:path";
import { feedNames } from "../../api/feeds.ts";
import { nearestNetwork, wellKnownNetworks, type AddressOf } from "../../api/known-networks.ts";
import type { Context } from "../../base/context/context.ts";
import { attempt, fail, Failure, usageFailure } from "../../base/failure.ts";
import { listEnding, readNewestList } from "../settings/list-cache.ts";
import { type Subject, subjectKey, nameOf } from "../../client/subject.ts";
import { withoutSecrets } from "../../base/key.ts";
import { isObject, member } from "../../base/json/json-scan.ts";
import { type JsonFile, readJsonFile, unusableFile } from "../../base/files/json-file.ts";
import { findFolders } from "../folders.ts";
import type { Editing } from "../settings/update-settings-file.ts";

/** An asset that the user gave a name. */
export interface NamedAsset {
  readonly network: string;
  readonly address: string;
  /** Undefined if neither the user nor a response named it. */
  readonly kind: AddressOf | undefined;
}

/** In lower case, because case does not matter. */
type AssetNames = ReadonlyMap<string, NamedAsset>;

function namesPath(context: Pick<Context, "env" | "platform">): string {
  return path.join(findFolders(context).config, "names.json");
}

/** Throws a usage failure if the file is damaged, because a run must not take a name for an address. */
export function readAssetNames(context: Pick<Context, "env" | "platform">, service: string): AssetNames {
  const file = namesPath(context);
  return namesIn(file, readJsonFile(file), service);
}

/** The names of all services. */
export function readAllNames(context: Pick<Context, "env" | "platform">): AssetNames {
  const file = namesPath(context);
  const content = readJsonFile(file);
  const services = content.state === "read" ? Object.keys(content.object) : [];
  return new Map(services.flatMap((service) => [...namesIn(file, content, service)]));
}

function namesIn(file: string, content: JsonFile, service: string): AssetNames {
  if ("problem" in content) throw unusableFile(content.problem);
  const stored = content.state === "read" ? member(content.object, service) : undefined;
  const names = new Map<string, NamedAsset>();
  for (const [name, text] of Object.entries(isObject(stored) ? stored : {})) {
    const [, network, address, kind] = /^([^:]+):(\S+)(?: (token|pool))?$/u.exec(String(text)) ?? [];
    // The next change of the file would lose it.
    if (network === undefined || address === undefined)
      throw unusableFile(`${file}: the value of "${withoutSecrets(name)}" must be network:address`);
    names.set(name.toLowerCase(), {
      network,
      address,
      kind: kind === "token" || kind === "pool" ? kind : undefined,
    });
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
  const { updateSettingsFile } = await import("../settings/update-settings-file.ts");
  const [file, key] = [namesPath(context), name.toLowerCase()];
  return await updateSettingsFile(context, file, (current) => {
    const names = new Map(namesIn(file, current, service));
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

export type NameFinder = ReturnType<typeof createNameFinder>;

/** The file is read at the first word that can be a name, or at the first label that is shown. */
export function createNameFinder(context: Pick<Context, "env" | "platform">, service: string) {
  let names: AssetNames | undefined;
  let labels: ReadonlyMap<string, string> | undefined;
  const load = (): AssetNames => (names ??= readAssetNames(context, service));
  return {
    /** After a network, only the names of its assets count. */
    find: (word: string, network?: string): NamedAsset | undefined => {
      const asset = load().get(word.toLowerCase());
      return network === undefined || asset?.network === network ? asset : undefined;
    },
    /** The file is read again when it is needed. */
    forget: (): void => {
      names = undefined;
      labels = undefined;
    },
    labelOf: (subject: Pick<Subject, "network" | "address">): string | undefined => {
      labels ??= labelsOf(load);
      return labels.get(subjectKey(subject));
    },
    /** `where` is the line of a list. After a network, the word cannot be one. Nothing was sent. */
    unknown: (word: string, where: string | undefined, network: string | undefined): Failure => {
      const other = network === undefined ? undefined : load().get(word.toLowerCase());
      const problem =
        other === undefined
          ? `unknown name "${word}"`
          : `"${word}" is the name of an asset on ${other.network}, not on ${network}`;
      return fail("unknown_name", `${where === undefined ? "" : `${where}: `}${problem}`, {
        next:
          (where === undefined ? hintAtOther(word) : undefined) ??
          (network === undefined || wellKnownNetworks.has(word)
            ? unknownNameHint(word)
            : waysToName(word, other && network)),
      });
    },
  };
}

/** The first name of each asset. Without names, a run with addresses still works. */
function labelsOf(load: () => AssetNames): ReadonlyMap<string, string> {
  const names = attempt(load);
  if (names instanceof Failure) return new Map();
  return new Map([...names].map(([name, asset]) => [subjectKey(asset), name] as const).toReversed());
}

/** Networks that need no request to be recognized: a name must not hide one of them. */
export function isKnownNetwork(context: Pick<Context, "env" | "platform">, word: string): boolean {
  if (wellKnownNetworks.has(word)) return true;
  return readNewestList(context, listEnding("networks", undefined)).some(([slug]) => slug === word);
}

/**
 * The next step for a feed, a file or a duration, as in `stream prices weth` and `ohlcv weth 1h`. A search for an asset of
 * this name would waste a credit.
 */
export function hintAtOther(word: string): string | undefined {
  if (feedNames.some((name) => name === word))
    return `the feed of a stream is the value of a flag: --feed ${word}`;
  if (/^\d+[smhdw]$/iu.test(word))
    return `a duration is the value of a flag, e.g. --interval ${word} or --from -${word}`;
  return /\.(?:csv|json|jsonl|ndjson|tsv|txt)$/iu.test(word)
    ? `to read a list from a file, write @${word}`
    : undefined;
}

/** The next steps for a word that may be a token, a pool or a misspelled network. */
export function unknownNameHint(word: string, ways = waysToName(word)): string {
  const name = word.toLowerCase();
  if (wellKnownNetworks.has(word))
    return `${word} is a network, which comes before its assets, as in ${word}:0x…`;
  if (wellKnownNetworks.has(name)) return `did you mean ${name}?`;
  const near = nearestNetwork(name, wellKnownNetworks);
  const network = near === undefined ? "" : `if it is a network, did you mean ${near}? If not, `;
  return `${network}${ways}`;
}

/** The next step for a word in the place of a network that may be an asset. Naming it would not help there. */
export function waysToSearch(word: string, command: string): string {
  const name = word.toLowerCase();
  return command === "pools search"
    ? `for the pools of a token: dexdata pools search <network> --token ${name}`
    : `for an asset: dexdata search ${name}`;
}

/** How to find an asset by its symbol, and then to name it. */
const waysToName = (word: string, takenOff?: string): string =>
  `find it: dexdata search ${word.toLowerCase()}; ${wayToName(word, takenOff)}`;

/** `takenOff` is the network of the asset if the word is already the name of an asset on another one. */
export const wayToName = (word: string, takenOff: string | undefined): string =>
  takenOff === undefined
    ? `name it: dexdata name add ${word.toLowerCase()} <network:address>`
    : `use its address on ${takenOff}, or give it another name: dexdata name add <name> ${takenOff}:<address>`;
