/**
 * One input of an endpoint, which dexdata parses, checks and sends. `name` is the wire name in the specification.
 * `flag` is the flag without dashes; undefined means that dexdata sets the value, as it does for paging.
 */
export interface Param {
  readonly name: string;
  readonly place: "path" | "query";
  readonly required: boolean;
  readonly flag: string | undefined;
  /**
   * How the value is set by its wire name instead of a flag. `field` means `--field name=value`, which is sent as
   * typed. `property` means a property that a program passes to the library.
   */
  readonly givenAs?: "field" | "property";
  readonly kind: ParamKind;
  /** One line for the help, including the unit. */
  readonly help: string;
  /** More text for the full help. It starts with its own punctuation. */
  readonly details?: string;
  /** The value that dexdata sends by default, as a user would type it. */
  readonly default?: string;
}

export type ParamKind =
  | { readonly kind: "text" }
  /** A network slug, sent exactly as typed, because only the service knows which slugs are valid. */
  | { readonly kind: "network" }
  | { readonly kind: "address" }
  /** Comma-separated in the request. `max` limits the number of items, `maxLength` the total number of characters. */
  | { readonly kind: "list"; readonly max?: number; readonly maxLength?: number }
  | { readonly kind: "integer"; readonly min: number; readonly max?: number }
  /** A decimal number. Suffixes such as 250k, 1.5m and 2b are accepted. */
  | { readonly kind: "amount" }
  | {
      readonly kind: "choice";
      readonly choices: readonly string[];
      /** Common values that the service rejects, each with the reason and an alternative. */
      readonly refused?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "toggle" }
  /** Any time that `time/time.ts` accepts. It is sent as Unix seconds. */
  | { readonly kind: "time" };

interface Extra {
  readonly flag?: string | undefined;
  readonly required?: boolean;
  readonly details?: string;
  readonly default?: string;
}

/** Defines a query parameter. By default, its flag is the wire name with dashes instead of underscores. */
export function query(name: string, kind: ParamKind, help: string, extra: Extra = {}): Param {
  const param = {
    name,
    place: "query",
    required: false,
    flag: name.replaceAll("_", "-"),
    kind,
    help,
  } as const;
  return { ...param, ...extra };
}

/** Returns the complete help text. */
export function fullHelp({ help, details = "", default: usual }: Param): string {
  return `${help}${details}${usual === undefined ? "" : ` (default ${usual})`}`;
}

/** Defines a path parameter, which is a required argument. It is sent as one percent-encoded segment. */
export function path(name: string, kind: ParamKind, help: string): Param {
  return { name, place: "path", required: true, flag: undefined, kind, help };
}

/** Defines a query parameter that dexdata sets. It does not have a flag. */
export function internal(name: string, kind: ParamKind, help: string): Param {
  return query(name, kind, help, { flag: undefined });
}

export const choice = (choices: readonly string[], refused?: Readonly<Record<string, string>>): ParamKind =>
  refused === undefined ? { kind: "choice", choices } : { kind: "choice", choices, refused };
