import type { AddressOf } from "./known-networks.ts";

/** `name` is the wire name. `flag` has no dashes; undefined means that dexdata sets the value, as for paging. */
export interface Param {
  readonly name: string;
  readonly place: "path" | "query";
  readonly required: boolean;
  readonly flag: string | undefined;
  /** `field` means `--field name=value`, sent as typed. `property` is passed to the library by a program. */
  readonly givenAs: "flag" | "field" | "property";
  readonly kind: ParamKind;
  /** One line, including the unit. */
  readonly help: string;
  /** More text for the full help. It starts with its own punctuation. */
  readonly details: string;
  /** Up to this many values; rows must match all of them. The request has only one, and the client compares the others. */
  readonly several: number | undefined;
  /** Sent by default, and written as a user would type it. */
  readonly default: string | undefined;
}

export type ParamKind =
  | { readonly kind: "text" }
  /** Sent exactly as typed, because only the service knows which slugs are valid. */
  | { readonly kind: "network" }
  | { readonly kind: "address"; readonly of: AddressOf }
  /**
   * Comma-separated in the request. `max` limits the number of items, and `maxLength` limits the total length. With `of`,
   * the items are addresses.
   */
  | { readonly kind: "list"; readonly max?: number; readonly maxLength?: number; readonly of?: AddressOf }
  | { readonly kind: "integer"; readonly min: number; readonly max?: number }
  /** Suffixes such as 250k, 1.5m and 2b are accepted. */
  | { readonly kind: "amount" }
  | {
      readonly kind: "choice";
      readonly choices: readonly string[];
      /** Values that dexdata accepts and the service does not, each with its meaning for dexdata. */
      readonly also: Readonly<Record<string, string>> | undefined;
      /** Common values that the service rejects, each with the reason and an alternative. */
      readonly refused: Readonly<Record<string, string>> | undefined;
    }
  | { readonly kind: "toggle" }
  /** Any time that `time/time.ts` accepts. It is sent as Unix seconds. */
  | { readonly kind: "time" };

const usual = {
  required: false,
  givenAs: "flag",
  details: "",
  several: undefined,
  default: undefined,
} as const;

type Extra = Partial<Pick<Param, "flag" | "required" | "details" | "default" | "several">>;

/** By default, the flag is the wire name with dashes instead of underscores. */
export function query(name: string, kind: ParamKind, help: string, extra: Extra = {}): Param {
  const flag = name.replaceAll("_", "-");
  return { name, place: "query", flag, kind, help, ...usual, ...extra };
}

export function fullHelp({ help, details, default: sent }: Param): string {
  return `${help}${details}${sent === undefined ? "" : ` (default ${sent})`}`;
}

/** A required argument, sent as one percent-encoded segment. */
export function path(name: string, kind: ParamKind, help: string): Param {
  return { name, place: "path", flag: undefined, kind, help, ...usual, required: true };
}

/** dexdata sets it, so it does not have a flag. */
export function internal(name: string, kind: ParamKind, help: string): Param {
  return query(name, kind, help, { flag: undefined });
}

export const choice = (
  choices: readonly string[],
  refused?: Readonly<Record<string, string>>,
): ParamKind => ({ kind: "choice", choices, also: undefined, refused });

/** Includes renamed parameters (specification, "Removed endpoints") and similar names that old clients sent. */
const newNames: ReadonlyMap<string, string> = new Map([
  ["sort_by", "order_by"],
  ["sort_dir", "sort"],
  ["fdv_min", "fdv_usd_min"],
  ["fdv_max", "fdv_usd_max"],
]);

export function renamed(name: string): string {
  return newNames.get(name) ?? name.replace(/^volume_(24h|7d|30d)_(min|max)$/u, "volume_usd_$1_$2");
}

const newOrders: ReadonlyMap<string, string> = new Map([
  ["volume_usd", "volume_usd_24h"],
  ["volume", "volume_usd_24h"],
  ["transactions", "txns_24h"],
  ["transactions_24h", "txns_24h"],
  ["txns", "txns_24h"],
  ["liquidity", "liquidity_usd"],
  ["fdv", "fdv_usd"],
  ["price_change", "price_change_percentage_24h"],
]);

export function renamedOrder(key: string): string {
  return (
    newOrders.get(key) ??
    key
      .replace(/^volume_(24h|7d|30d)$/u, "volume_usd_$1")
      .replace(/^(?:last_)?price_change(?:_usd)?_(48h|24h|6h|1h|5m)$/u, "price_change_percentage_$1")
  );
}
