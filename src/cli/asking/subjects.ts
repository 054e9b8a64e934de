import type { Subject } from "../../client/batches.ts";
import { type Failure, usageFailure } from "../../contract/failure.ts";
import { withoutSecrets } from "../../contract/key.ts";
import { countedKinds } from "./asset-kind.ts";
import { type ListedAsset, readList, splitPair } from "./list-lines.ts";
import type { ListSources } from "./list-sources.ts";

/** The command that takes the subjects. */
export interface Taker {
  readonly command: string;
  readonly takes: "token" | "pool";
  /** Whether an address of a list that cannot be one is refused; a stream has --on-invalid for it. */
  readonly checksForms: boolean;
  readonly usage: string;
}

/** What takes the assets of a stream, as messages name it. */
export const streamTaker = "this stream";

/**
 * What a command asks for, from its words: `<network> <address…>`, `network:address …`, `-` for a list on stdin or
 * `@name` for one in a file, so that the NDJSON of one command feeds the next. Networks may be mixed: what names its own
 * network is asked for there, whatever network came first.
 */
export async function readSubjects(
  words: readonly string[],
  sources: ListSources,
  taker: Taker,
): Promise<readonly Subject[]> {
  const { usage } = taker;
  const [first, ...rest] = words;
  if (first === undefined) throw usageFailure("a network and an address are needed", usage);
  const isNetwork = !isList(first) && splitPair(first) === undefined;
  if (isNetwork && rest.length === 0)
    throw usageFailure(`"${first}": an address is needed after the network`, usage);
  const network = isNetwork ? first : undefined;
  const subjects: Subject[] = [];
  for (const word of isNetwork ? rest : words) {
    if (!isList(word)) {
      subjects.push(readWord(word, network, usage));
      continue;
    }
    const text = word === "-" ? await sources.stdin() : await sources.file(word.slice(1));
    const source = word === "-" ? "stdin" : withoutSecrets(word.slice(1));
    const assets = ofKind(readList(text, network, source, taker.checksForms), source, taker, sources.warn);
    subjects.push(...assets.map((asset) => toSubject(asset, network, usage)));
  }
  return subjects;
}

/** Whether a word stands for a list of assets. */
export const isList = (word: string): boolean => word === "-" || word.startsWith("@");

function readWord(word: string, network: string | undefined, usage: string): Subject {
  const pair = splitPair(word);
  if (pair !== undefined) return pair;
  if (network !== undefined) return { network, address: word };
  throw usageFailure(`"${word}": must be network:address, like the words before it`, usage);
}

function toSubject(asset: ListedAsset, network: string | undefined, usage: string): Subject {
  const onNetwork = asset.network ?? network;
  if (onNetwork !== undefined) return { network: onNetwork, address: asset.address ?? "" };
  throw usageFailure(
    `${asset.where}: names no network`,
    `say it before the list, or write network:address; ${usage}`,
  );
}

/** Leaves out rows that are certainly of another kind: a request for each would cost a credit and find nothing. */
function ofKind(
  assets: readonly ListedAsset[],
  source: string,
  taker: Taker,
  warn: ListSources["warn"],
): readonly ListedAsset[] {
  const isTaken = ({ kind }: ListedAsset): boolean => kind === undefined || kind === taker.takes;
  const used = assets.filter(isTaken);
  const others = assets.filter((asset) => !isTaken(asset));
  if (others.length === 0) return used;
  if (used.length === 0) throw noneOfKind(others, source, taker);
  warn(
    `${source}: using ${countedKinds(used.map(() => taker.takes))}, skipping ${kindsOf(others)}; ${taker.command} takes ${taker.takes}s`,
  );
  return used;
}

function noneOfKind(others: readonly ListedAsset[], source: string, { command, takes }: Taker): Failure {
  return usageFailure(
    `${source} has ${kindsOf(others)}, but ${command} takes ${takes}s`,
    hintAt(others, command, takes),
  );
}

const kindsOf = (assets: readonly ListedAsset[]): string =>
  countedKinds(assets.flatMap(({ kind }) => kind ?? []));

function hintAt(others: readonly ListedAsset[], command: string, takes: Taker["takes"]): string | undefined {
  const kinds = new Set(others.map(({ kind }) => kind));
  const isOther = kinds.size === 1 && kinds.has(takes === "token" ? "pool" : "token");
  if (command === "ohlcv" && isOther)
    return takes === "token" ? "for candles of a pool, add --pool" : "leave out --pool";
  if (others.some(({ hasGroup }) => hasGroup))
    return `search for them alone: dexdata search <query> --type ${takes}s`;
  if (!isOther || command === streamTaker) return undefined;
  return takes === "token" ? "to show pools: dexdata pool -" : "to show tokens: dexdata token -";
}
