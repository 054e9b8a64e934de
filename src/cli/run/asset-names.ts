import { nearestNetwork, wellKnownNetworks } from "../../api/known-networks.ts";
import type { Context } from "../../base/context/context.ts";
import { fail, Failure } from "../../base/failure.ts";
import type { ListSources } from "../../base/files/list-sources.ts";
import { type AssetNames, type NamedAsset, readAssetNames } from "../settings/asset-names.ts";
import { listEnding, readNewestList } from "../settings/list-cache.ts";
import { type Subject, subjectKey } from "../../client/subject.ts";
import { type Hosts, nameServiceOf } from "./run-options.ts";

export type NameFinder = ReturnType<typeof createNameFinder>;

/** Lists of assets, whose lines can be names. */
export interface AssetSources extends ListSources {
  readonly names: NameFinder;
}

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
      const hint = network === undefined ? unknownNameHint : waysToName;
      return fail("unknown_name", `${where === undefined ? "" : `${where}: `}unknown name "${word}"`, {
        next: hint(word, options.sandbox?.isFlagged === true),
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
  return readNewestList(context, listEnding("networks", undefined)).some(
    (row) => row.split("\t")[0] === word,
  );
}

/** The next steps for a word that may be a token, a pool or a misspelled network. */
export function unknownNameHint(word: string, isSandbox: boolean): string {
  const name = word.toLowerCase();
  if (wellKnownNetworks.has(name)) return `did you mean ${name}?`;
  const near = nearestNetwork(name, wellKnownNetworks);
  const network = near === undefined ? "" : `if it is a network, did you mean ${near}? If not, `;
  return `${network}${waysToName(name, isSandbox)}`;
}

/** How to find an asset by its symbol, and then to name it. */
export function waysToName(word: string, isSandbox: boolean): string {
  const name = word.toLowerCase();
  const flag = isSandbox ? " --sandbox" : "";
  return `find it: dexdata search ${name}${flag}; name it: dexdata name add ${name} <network:address>${flag}`;
}
