import path from "node:path";
import { nearestNetwork, wellKnownNetworks, type AddressOf } from "../../api/known-networks.ts";
import type { Context } from "../../base/context/context.ts";
import { fail, Failure, usageFailure } from "../../base/failure.ts";
import { listEnding, readNewestList, readCachedList, writeCachedList } from "../settings/list-cache.ts";
import { type Subject, subjectKey, nameOf } from "../../client/subject.ts";
import { type Hosts, nameServiceOf } from "./run-options.ts";
import { plainList } from "../../client/list-plan.ts";
import type { Client } from "../../client/client.ts";
import type { Target } from "../../client/target.ts";
import { readPages } from "../../client/read-pages.ts";
import { type KnownAsset, labelOfRow, tokensIn } from "../../api/asset-kind.ts";
import { pool } from "../../api/endpoints/pool-and-token.ts";
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
  return namesIn(readJsonFile(namesPath(context)), service);
}

function namesIn(file: JsonFile, service: string): AssetNames {
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
  const { updateSettingsFile } = await import("../settings/update-settings-file.ts");
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

export type NameFinder = ReturnType<typeof createNameFinder>;

/** The file is read at the first word that can be a name, or at the first label that is shown. */
export function createNameFinder(context: Pick<Context, "env" | "platform">, options: Hosts) {
  let names: AssetNames | undefined;
  let labels: ReadonlyMap<string, string> | undefined;
  const load = (): AssetNames => (names ??= readAssetNames(context, nameServiceOf(options)));
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
          network === undefined || wellKnownNetworks.has(word)
            ? unknownNameHint(word)
            : waysToName(word, other && network),
      });
    },
  };
}

/** The first name of each asset. Without names, a run with addresses still works. */
function labelsOf(load: () => AssetNames): ReadonlyMap<string, string> {
  try {
    return new Map([...load()].map(([name, asset]) => [subjectKey(asset), name] as const).toReversed());
  } catch (cause) {
    if (cause instanceof Failure) return new Map();
    throw cause;
  }
}

/** Networks that need no request to be recognized: a name must not hide one of them. */
export function isKnownNetwork(context: Pick<Context, "env" | "platform">, word: string): boolean {
  if (wellKnownNetworks.has(word)) return true;
  return readNewestList(context, listEnding("networks", undefined)).some(([slug]) => slug === word);
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

/** What people see of assets: labels, and the decimals of tokens. Sources are input lists, responses, and the cache. */
export type KnownAssets = ReturnType<typeof createKnownAssets>;

/** The cache keeps the newest ones. */
const maxKept = 2000;

export function createKnownAssets(
  context: Context,
  { isSimulated, rest }: Pick<Target, "isSimulated" | "rest">,
  names: NameFinder,
) {
  // The sandbox uses a new port each time.
  const listName = `${isSimulated ? "sandbox" : rest} assets`;
  const labels = new Map<string, string>();
  const requested = new Map<string, Promise<Failure | undefined>>();
  let isChanged = false;
  let loaded: Map<string, Facts> | undefined;
  const kept = (): Map<string, Facts> =>
    (loaded ??= new Map((readCachedList(context, listName) ?? []).map(assetOfRow)));

  const find = (network: string, address: string): KnownAsset => {
    const key = subjectKey({ network, address });
    const [name, facts] = [names.labelOf({ network, address }), kept().get(key)];
    return { name, label: labels.get(key) ?? facts?.label, decimals: facts?.decimals };
  };

  const keep = (network: string, address: unknown, asset: Facts): void => {
    if (typeof address !== "string" || (asset.label === undefined && asset.decimals === undefined)) return;
    const key = subjectKey({ network, address });
    const before = kept().get(key);
    const { label = before?.label, decimals = before?.decimals } = asset;
    if (before?.label === label && before?.decimals === decimals) return;
    isChanged = true;
    kept().delete(key);
    kept().set(key, { label, decimals });
  };

  /** Learns from the row of a token, or of a pool with its tokens. Rows of one network may omit it. */
  const learn = (row: object, network: string): void => {
    const chain = member(row, "chain") ?? network;
    if (typeof chain !== "string") return;
    for (const token of tokensIn(row)) keep(chain, member(token, "id"), factsOf(token));
    keep(chain, member(row, "address") ?? member(row, "id"), factsOf(row));
  };

  return {
    find,
    learn,
    /** Labels that the user gave take precedence. */
    name: (subjects: readonly Subject[]): void => {
      for (const each of subjects) if (each.label !== undefined) labels.set(subjectKey(each), each.label);
    },
    /** Labels each asset with the user's name for it, or else with the known label if it has none. */
    labeled: (subjects: readonly Subject[]): readonly Subject[] =>
      subjects.map(({ network, address, label: given }) => {
        const { name, label } = find(network, address);
        return { network, address, label: name ?? given ?? label };
      }),
    /** Whether a response has already described the pool. A label alone may come from the user's list. */
    knowsPool: ({ network, address }: Subject): boolean => kept().has(subjectKey({ network, address })),
    /** Requests a pool to learn its tokens: again after a failure that may pass, which is returned, and otherwise once. */
    requestPool: async (client: Client, network: string, address: string): Promise<Failure | undefined> => {
      const key = subjectKey({ network, address });
      const earlier = requested.get(key);
      if (earlier !== undefined) return await earlier;
      const work = readPool(client, { network, address }, learn);
      requested.set(key, work);
      const failure = await work;
      if (failure !== undefined) requested.delete(key);
      return failure;
    },
    save: (): void => {
      if (!isChanged) return;
      isChanged = false;
      const rows = [...kept()].map(([key, { label = "", decimals = "" }]) => [key, `${decimals}`, label]);
      writeCachedList(context, listName, rows.slice(-maxKept));
    },
  };
}

/** Returns a failure that may pass. */
async function readPool(
  client: Client,
  { network, address }: Subject,
  learn: (row: object, network: string) => void,
): Promise<Failure | undefined> {
  const args = new Map(Object.entries({ network, pool_address: address }));
  try {
    for await (const { rows } of readPages(client, pool, args, plainList(0)))
      for (const row of rows.values()) learn(row, network);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    return cause.retryable || cause.details.isOutage === true ? cause : undefined;
  }
}

/** What responses say about an asset. */
type Facts = Omit<KnownAsset, "name">;

function factsOf(row: object): Facts {
  const decimals = member(row, "decimals");
  const isWhole =
    typeof decimals === "number" && Number.isInteger(decimals) && decimals >= 0 && decimals < 256;
  return { label: labelOfRow(row), decimals: isWhole ? decimals : undefined };
}

function assetOfRow([key = "", decimals = "", label = ""]: readonly string[]): [string, Facts] {
  return [key, { label: label || undefined, decimals: decimals ? Number(decimals) : undefined }];
}
