import { member } from "../json/raw-json.ts";
import { counted } from "../text/counted.ts";

/** The kind of asset that a row describes. */
export type AssetKind = "token" | "pool" | "DEX" | "network";

const kindOfGroup: ReadonlyMap<unknown, AssetKind> = new Map([
  ["tokens", "token"],
  ["pools", "pool"],
  ["dexes", "DEX"],
]);

/** The kind of a row, by its group in a search or by fields that no other kind has; undefined if it is not clear. */
export function kindOfRow(row: object, group: unknown): AssetKind | undefined {
  const kind = kindOfGroup.get(group);
  if (kind !== undefined) return kind;
  const names = Object.keys(row);
  const has = (...fields: readonly string[]): boolean => fields.some((field) => names.includes(field));
  const hasTokens = Array.isArray(member(row, "tokens")) || names.some((name) => name.startsWith("tokens."));
  if (has("factory_id") || hasTokens) return "pool";
  if (has("dex_id", "dex_name")) return has("id") ? "pool" : "DEX";
  // A list of pools can have symbols as labels, so a symbol alone proves nothing.
  if (has("decimals", "total_supply") || (has("symbol") && has("address"))) return "token";
  return has("display_name") && !has("chain") ? "network" : undefined;
}

/** `20 pools and 1 DEX` */
export function countedKinds(kinds: readonly AssetKind[]): string {
  const parts = [...new Set(kinds)].map((kind) => {
    const count = kinds.filter((each) => each === kind).length;
    return kind === "DEX" && count > 1 ? counted(count, "DEXe") : counted(count, kind);
  });
  const [last = "", ...rest] = parts.toReversed();
  return rest.length === 0 ? last : `${rest.toReversed().join(", ")} and ${last}`;
}
