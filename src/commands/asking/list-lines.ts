import { isObject, member } from "../../json/raw-json.ts";
import { usageFailure } from "../../contract/failure.ts";
import { addressProblem, type AssetKind, kindOfRow } from "../../contract/asset-kind.ts";

/** An asset that a line of a list names. */
export interface ListedAsset {
  /** Undefined where the line names none. */
  readonly network: string | undefined;
  /** Undefined for a row that has none. */
  readonly address: string | undefined;
  /** Undefined where it may be of any kind. */
  readonly kind: AssetKind | undefined;
  /** Whether the line is a row of a search with several groups. */
  readonly hasGroup: boolean;
  /** `stdin line 3` */
  readonly where: string;
}

/**
 * Reads a list: one asset per line, as `address`, `network:address`, a JSON string of those, or a row of the service.
 * Empty lines are skipped, and so is everything from a `#` that begins a line or follows a space.
 */
export function readList(
  text: string,
  network: string | undefined,
  source: string,
  checksForms: boolean,
): readonly ListedAsset[] {
  return text.split("\n").flatMap((whole, index) => {
    const line = whole.trim();
    const where = `${source} line ${index + 1}`;
    if (line.startsWith("{")) return [readRow(line, where)];
    const words = line.replace(/(?:^|\s)#.*$/u, "").trim();
    return words === "" ? [] : [readWords(words, network, where, checksForms)];
  });
}

function readWords(
  line: string,
  network: string | undefined,
  where: string,
  checksForms: boolean,
): ListedAsset {
  if (line.startsWith("["))
    throw usageFailure(
      `${where}: begins like a JSON array`,
      "a list has one asset per line, as -o ndjson writes them",
    );
  const text = line.startsWith('"') ? readString(line, where) : line;
  const pair = splitPair(text);
  const asset = { network: pair?.network ?? network, address: pair?.address ?? text };
  const problem = addressProblem(checksForms ? (asset.network ?? "") : "", asset.address);
  if (problem !== undefined)
    throw usageFailure(`${where}: invalid address "${shortened(asset.address)}"`, problem);
  return { ...asset, kind: undefined, hasGroup: false, where };
}

function readString(line: string, where: string): string {
  const value = parse(line);
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  throw usageFailure(`${where}: begins like a JSON string but is not one`);
}

/** `address` before `id`; the row's `chain` is its network. The service wrote it, so its address has a form it knows. */
function readRow(line: string, where: string): ListedAsset {
  const row = parse(line);
  if (!isObject(row)) throw usageFailure(`${where}: begins like a JSON object but is none`);
  if (Object.hasOwn(row, "log_index")) {
    throw usageFailure(
      `${where}: is a transaction; its id is a hash, not an address`,
      "pick a column first: --fields pool_id",
    );
  }
  const inner = member(row, "row");
  const hasGroup = isObject(inner) && Object.hasOwn(row, "group");
  const subject = hasGroup && isObject(inner) ? inner : row;
  const [address, chain] = [member(subject, "address") ?? member(subject, "id"), member(subject, "chain")];
  const kind = kindOfRow(subject, hasGroup ? member(row, "group") : undefined);
  if (typeof address !== "string" && kind !== "DEX")
    throw usageFailure(`${where}: has neither address nor id`);
  return {
    network: typeof chain === "string" ? chain : undefined,
    address: typeof address === "string" ? address : undefined,
    kind,
    hasGroup,
    where,
  };
}

/** Splits at the first colon; an id such as `0x2::sui::SUI`, or TON's `0:b113…`, names no network. */
export function splitPair(word: string): { readonly network: string; readonly address: string } | undefined {
  const match = /^(?!0x|-?\d+:)([\w-]+):(?!:)(.+)$/u.exec(word);
  return match === null ? undefined : { network: match[1] ?? "", address: match[2] ?? "" };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
