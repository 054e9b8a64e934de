import { groupBy } from "../base/group-by.ts";
import { isObject, member } from "../base/json/json-scan.ts";
import { counted, inWords } from "../base/text/words.ts";

export type AssetKind = "token" | "pool" | "DEX" | "network";

const kindOfGroup: ReadonlyMap<unknown, AssetKind> = new Map([
  ["tokens", "token"],
  ["pools", "pool"],
  ["dexes", "DEX"],
]);

/** By the group in a search, the kind of a name, or fields that no other kind has. Undefined if the kind is unclear. */
export function kindOfRow(row: object, group: unknown): AssetKind | undefined {
  const kind = kindOfGroup.get(group);
  if (kind !== undefined) return kind;
  const named = member(row, "kind");
  if (named === "token" || named === "pool") return named;
  const names = Object.keys(row);
  const has = (...fields: readonly string[]): boolean => fields.some((field) => names.includes(field));
  const hasTokens = Array.isArray(member(row, "tokens")) || names.some((name) => name.startsWith("tokens."));
  if (has("factory_id") || hasTokens) return "pool";
  if (has("dex_id", "dex_name")) return has("id") ? "pool" : "DEX";
  // Rows of a pool list can have symbols as labels, so a symbol alone does not prove that the row is a token.
  if (has("decimals", "total_supply", "fdv_usd") || (has("symbol") && has("address"))) return "token";
  // Prices from the public service. Without this field, a row of a pool list can look the same.
  if (has("price_usd") && has("last_updated")) return "token";
  return has("display_name") && !has("chain") ? "network" : undefined;
}

export interface KnownAsset {
  /** The user's name for the asset. */
  readonly name: string | undefined;
  /** The symbol of a token, such as WETH, or the symbols of a pool's tokens, such as USDC/WETH. */
  readonly label: string | undefined;
  /** Raw amounts of the token are in units of 10^-decimals. */
  readonly decimals: number | undefined;
}

/** The tokens of a pool; empty for other rows. */
export function tokensIn(row: object): readonly object[] {
  const tokens = member(row, "tokens");
  return Array.isArray(tokens) ? tokens.filter(isObject) : [];
}

/** Names can have any length, and longer ones are cut. */
const longestLabel = 40;

/** Undefined if the row contains neither a symbol nor a name. */
export function labelOfRow(row: object): string | undefined {
  const symbols = tokensIn(row).map((token) => member(token, "symbol"));
  const names = symbols.length > 0 ? symbols : [member(row, "symbol") ?? member(row, "name")];
  if (!names.every((name) => typeof name === "string" && name.trim() !== "")) return undefined;
  return labelText(names.map((name) => String(name).trim()).join("/"));
}

/** On one line and at most 40 characters long. */
export function labelText(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length > longestLabel ? `${line.slice(0, longestLabel - 1)}…` : line;
}

/** Such as `20 pools and 1 DEX`. */
export function countedKinds(kinds: readonly AssetKind[]): string {
  const parts = [...groupBy(kinds, (kind) => kind)].map(([kind, { length }]) =>
    counted(length, kind === "DEX" && length > 1 ? "DEXe" : kind),
  );
  return inWords(parts, "and");
}
