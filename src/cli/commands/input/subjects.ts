import { invalidInput, usageFailure } from "../../../base/failure.ts";
import { withoutSecrets } from "../../../base/key.ts";
import {
  addressFault,
  type AddressOf,
  damageFault,
  isFixedWord,
  isAssetName,
  isNameOn,
  wellKnownNetworks,
} from "../../../api/known-networks.ts";
import { type AssetKind, countedKinds, kindOfRow, labelOfRow, labelText } from "../../../api/asset-kind.ts";
import { inNetwork } from "../../../api/endpoints/shared-parts.ts";
import { anAsset, readParam, refuseUrl } from "../../../api/read-param.ts";
import type { NameFinder, NamedAsset } from "../../run/asset-names.ts";
import type { AssetSources } from "../../run/with-run.ts";
import { isObject, member, parseJson } from "../../../base/json/json-scan.ts";
import type { Subject } from "../../../client/subject.ts";
import { counted } from "../../../base/text/words.ts";

interface Taker {
  readonly command: string;
  readonly takes: AddressOf;
  readonly ifOtherKind?: string | undefined;
  /** A stream can skip malformed addresses. */
  readonly malformed: "fail" | "keep";
  readonly usage: string;
}

export const streamTaker = "this stream";

/**
 * Parses a command's assets: `<network> <address…>`, `network:address …`, `-` for a list on stdin or `@name` for a list
 * in a file. A network in the list takes precedence over the network argument.
 */
export async function readSubjects(
  words: readonly string[],
  sources: AssetSources,
  taker: Taker,
): Promise<readonly Subject[]> {
  const { usage, takes, malformed } = taker;
  const [first, ...rest] = words;
  if (first === undefined) throw usageFailure("missing <network> and <address>", usage);
  const isNetwork = !isList(first) && splitPair(first) === undefined;
  if (isNetwork && /[,\s]/u.test(first))
    throw invalidInput(
      `argument "${first}"`,
      "must be one network or address; separate addresses with spaces",
      usage,
    );
  if (isNetwork && first !== "" && rest.length === 0) {
    if (first.includes("/")) {
      const [network = ""] = first.split("/");
      const isPair = !wellKnownNetworks.has(network);
      const fault = isPair ? damageFault("", first, takes) : undefined;
      const next = fault?.next ?? (isPair ? usage : `write ${first.replace("/", " ")}`);
      throw invalidInput(`argument "${first}"`, fault?.problem ?? "must be network:address", next);
    }
    const isAddress = /^0x|…|^[1-9A-HJ-NP-Za-km-z]{32,}$/iu.test(first);
    throw isAddress
      ? usageFailure(
          `missing network for "${first}"`,
          `write it first, as in: ethereum ${first}; to find the network: dexdata search ${first}`,
        )
      : usageFailure(`missing <address> after network "${first}"`, usage);
  }
  const network = isNetwork ? readParam(inNetwork, first, 0) : undefined;
  const subjects: Subject[] = [];
  for (const word of isNetwork ? rest : words) {
    if (!isList(word)) {
      const subject = readWord(word, network, usage);
      if (malformed === "fail") checkWord(subject, takes);
      subjects.push(subject);
      continue;
    }
    const { text, source } = await sources.read(word);
    const origin = { network, source, names: sources.names };
    const before = subjects.length;
    const others: ListedAsset[] = [];
    for (const asset of readLines(text.split("\n"), 1, origin))
      if (asset.kind !== undefined && asset.kind !== takes) others.push(asset);
      else subjects.push(toSubject(asset, network, taker, sources.names));
    skipOthers(others, subjects.length - before, source, taker, sources.warn);
  }
  return subjects;
}

export const isList = (word: string): boolean => word === "-" || word.startsWith("@");

export function readWord(
  word: string,
  network: string | undefined,
  usage: string,
  input = `argument "${withoutSecrets(word)}"`,
): Subject {
  refuseUrl(input, word, anAsset);
  const subject = splitPair(word) ?? (network === undefined ? undefined : { network, address: word });
  if (subject !== undefined) return subject;
  throw invalidInput(input, "must be network:address, like the other arguments", usage);
}

/** Other words, for example with a comma, are refused later, with a message of their own. */
export function checkWord({ network, address }: Subject, takes: AddressOf): void {
  if (!/^\w[\w.:/…]*$/u.test(address) || isFixedWord(address)) return;
  const fault = addressFault(network, address, takes);
  if (fault !== undefined) throw invalidInput(`<address> "${shortened(address)}"`, fault.problem, fault.next);
}

/** Rows come from the service, but they may have been edited. */
export function checkListed(
  { network, address }: Subject,
  { where, row }: Pick<ListedAsset, "where" | "row">,
  takes: AddressOf,
  names: NameFinder | undefined,
): void {
  const faultOf = row === undefined ? addressFault : damageFault;
  const fault = faultOf(network, address, takes);
  if (fault !== undefined && row === undefined && isAssetName(address) && names !== undefined)
    throw names.unknown(address, where, network);
  if (fault !== undefined)
    throw usageFailure(`${where}: invalid address "${shortened(address)}"`, fault.problem);
}

export function toSubject(
  asset: ListedAsset,
  network: string | undefined,
  { command, takes, malformed, usage }: Taker,
  names: NameFinder,
): Subject {
  const { address = "", label, where, row } = asset;
  // Generic types of Aptos have commas, as in `Pool<A,B>`.
  if (row === undefined && malformed === "fail" && /^[^<]*[,;]/u.test(address)) {
    const atTimes =
      command === "prices" ? "; for prices at the times in a column, add --at-field <column>" : "";
    throw usageFailure(`${where}: CSV is not a list of assets`, `list one asset per line${atTimes}`);
  }
  const onNetwork = asset.network ?? network;
  const isName = asset.network === undefined && row === undefined && isNameOn(network, address, takes);
  if (isName && (malformed === "fail" || network === undefined)) throw names.unknown(address, where, network);
  if (onNetwork === undefined)
    throw usageFailure(
      `${where}: no network given`,
      `write network:address, or put the network before the list; ${usage}`,
    );
  const isLineOfPrices = command === "prices" && row === undefined;
  const ofLine = { ...(label !== undefined && { label }), ...(isLineOfPrices && { where }) };
  const subject = { network: onNetwork, address, ...ofLine };
  if (malformed === "fail") checkListed(subject, asset, takes, names);
  return subject;
}

/** Requesting a row of a different kind would cost a credit and find nothing. */
function skipOthers(
  others: readonly ListedAsset[],
  used: number,
  source: string,
  taker: Taker,
  warn: AssetSources["warn"],
): void {
  const { command, takes } = taker;
  if (others.length === 0) return;
  const kinds = countedKinds(others.flatMap(({ kind }) => kind ?? []));
  if (used === 0)
    throw usageFailure(`${source} has ${kinds}, but ${command} takes ${takes}s`, hintAt(others, taker));
  warn(`${source}: using ${counted(used, takes)}, skipping ${kinds}; ${command} takes ${takes}s`);
}

function hintAt(others: readonly ListedAsset[], { takes, ifOtherKind }: Taker): string {
  const kinds = new Set(others.map(({ kind }) => kind));
  const isOther = kinds.size === 1 && kinds.has(takes === "token" ? "pool" : "token");
  if (isOther && ifOtherKind !== undefined) return ifOtherKind;
  // Only a search has rows of several kinds.
  if (!isOther) return `search only for them: dexdata search <query> --type ${takes}s`;
  return takes === "token" ? "to show pools: dexdata pool -" : "to show tokens: dexdata token -";
}

export interface ListedAsset {
  /** Undefined if the line does not contain a network. */
  readonly network: string | undefined;
  /** Undefined if the row does not contain an address. */
  readonly address: string | undefined;
  readonly label: string | undefined;
  /** Undefined if the kind is unknown. */
  readonly kind: AssetKind | undefined;
  /** The line, if it is a JSON object. */
  readonly row?: object;
  /** For example, `stdin line 3`. */
  readonly where: string;
}

interface ListOrigin {
  readonly network: string | undefined;
  readonly source: string;
  /** Stored lists have no names. */
  readonly names: NameFinder | undefined;
}

/**
 * Each line is an `address` or `network:address`, which a label may follow, either of these as a JSON string, a name, or
 * a row from the service. A `#` at the start of a line or after a space starts a comment. `first` is the number of the
 * first line.
 */
export function readLines(
  lines: readonly string[],
  first: number,
  origin: ListOrigin,
): readonly ListedAsset[] {
  return lines.flatMap((whole, index) => {
    const line = whole.trim();
    const where = `${origin.source} line ${first + index}`;
    if (line.startsWith("{")) return [readRow(line, where)];
    const words = line.includes("#") ? line.replace(/(?:^|\s)#.*$/u, "").trim() : line;
    return words === "" ? [] : [readWords(words, origin, where)];
  });
}

function readWords(line: string, { network, names }: ListOrigin, where: string): ListedAsset {
  if (line.startsWith("["))
    throw usageFailure(
      `${where}: JSON arrays are not accepted`,
      "list one asset per line, as -o ndjson prints them",
    );
  // A second address is not a label.
  const [, word = line, rest = ""] = /^(\S+)(?:\s+(?!0x[\da-f]+$)(.*))?$/iu.exec(line) ?? [];
  const [text, label] = line.startsWith('"') ? [readString(line, where), ""] : [word, labelText(rest)];
  // A second address would be ignored if it were read as a label.
  const hint = /[,;]/u.test(line)
    ? "list one asset per line; only prices --at-field <column> reads CSV"
    : "write one asset per line; a label may follow it";
  if (ANOTHER_ASSET.test(label)) throw usageFailure(`${where}: more than one asset`, hint);
  if (text.includes("://")) refuseUrl(`address "${withoutSecrets(text)}" in ${where}`, text, anAsset);
  const pair = splitPair(text) ?? (isAssetName(text) ? names?.find(text, network) : undefined);
  const address = pair?.address ?? text;
  if (/[\s"'\p{Cc}]/u.test(address))
    throw usageFailure(
      `${where}: invalid address "${shortened(address)}"`,
      /[,;]/u.test(address) ? hint : "write network:address, without spaces or quotes",
    );
  return {
    network: pair?.network,
    address,
    label: label === "" ? undefined : label,
    kind: pair?.kind,
    where,
  };
}

/** A time, as in `ethereum:0x… 2026-11-20T12:00Z`, is not an asset. */
const ANOTHER_ASSET = /^(?!\d{4}-\d\d-\d\d)(?:0x|[\w-]+:\S|[0-9A-Za-z]{26})/u;

/**
 * Whether the text after an asset in a list is meant as a time, and not as a label. If `7w` were a label, the row would
 * have the current price. A row's symbol is never a time: a token can be called `7d`.
 */
export const isMeantAsTime = ({ label = "", where }: Subject): boolean =>
  where !== undefined &&
  /^(?:\d{4}-\d\d-\d\d|\d{10}$|-?\d+(?:\.\d+)?(?:ms|[smhdw])$|(?:today|yesterday|now)$)/u.test(label);

function readString(line: string, where: string): string {
  const value = parseJson(line);
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  throw usageFailure(`${where}: invalid JSON string`);
}

/** `address` takes precedence over `id`. Rows with `pool_id` alone are selected fields of a transaction. */
function readRow(line: string, where: string): ListedAsset {
  const row = parseJson(line);
  if (!isObject(row)) throw usageFailure(`${where}: invalid JSON`);
  if (Object.hasOwn(row, "log_index")) {
    throw usageFailure(
      `${where}: a transaction has a hash, not an address`,
      `for its pool, add --fields chain,pool_id to the first command; for a token: jq -r '.chain + ":" + .token_0'`,
    );
  }
  if (Object.hasOwn(row, "time_open"))
    throw usageFailure(
      `${where}: a candle is not an asset`,
      "pass the list of assets to each command instead",
    );
  const inner = member(row, "row");
  // A search across several groups puts each row into an object with its group.
  const group = isObject(inner) ? member(row, "group") : undefined;
  const subject = isObject(inner) && group !== undefined ? inner : row;
  const own = member(subject, "address") ?? member(subject, "id");
  const address = own ?? member(subject, "pool_id");
  // Rows of dexdata itself, such as those of name list and --envelope, have the second name.
  const network = member(subject, "chain") ?? member(subject, "network");
  const kind = own === undefined && address !== undefined ? "pool" : kindOfRow(subject, group);
  if (typeof address !== "string" && kind !== "DEX" && !Object.hasOwn(row, "search"))
    throw usageFailure(`${where}: no address or id`);
  return {
    network: typeof network === "string" ? network : undefined,
    address: typeof address === "string" ? address : undefined,
    label: labelOfRow(subject),
    kind,
    row,
    where,
  };
}

/** Splits at the first colon. IDs such as `0x2::sui::SUI` or `0:b113…` (TON) do not contain a network. */
export function splitPair(word: string): NamedAsset | undefined {
  const match = /^(?!0x|-?\d+:)([\w-]+):(?!:)(.+)$/u.exec(word);
  return match === null ? undefined : { network: match[1] ?? "", address: match[2] ?? "", kind: undefined };
}

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
