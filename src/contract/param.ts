/**
 * One input of an endpoint: parsed, checked, and written to the wire. `name` is the wire name of the specification; `flag`
 * is typed for it (without dashes), and undefined if dexdata sets the value (paging).
 */
export interface Param {
  readonly name: string;
  readonly place: "path" | "query";
  readonly required: boolean;
  readonly flag: string | undefined;
  /** Set by its wire name instead of a flag: as `--field name=value`, sent as typed, or as a property by a program. */
  readonly givenAs?: "field" | "property";
  readonly kind: ParamKind;
  /** One line for help, with the unit. */
  readonly help: string;
  /** More text for full help, starting with its punctuation. */
  readonly details?: string;
  /** The value that dexdata sends by default, as a user would type it. */
  readonly default?: string;
}

export type ParamKind =
  | { readonly kind: "text" }
  /** A network slug, sent exactly as typed: only the service knows the valid ones. */
  | { readonly kind: "network" }
  | { readonly kind: "address" }
  /** Comma-separated on the wire; `max` items, `maxLength` characters together. */
  | { readonly kind: "list"; readonly max?: number; readonly maxLength?: number }
  | { readonly kind: "integer"; readonly min: number; readonly max?: number }
  /** A decimal number, also written 250k, 1.5m, 2b. */
  | { readonly kind: "amount" }
  | {
      readonly kind: "choice";
      readonly choices: readonly string[];
      /** Common values that the service rejects: the reason and the alternative. */
      readonly refused?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "toggle" }
  /** Any time that `time/time.ts` accepts; unix seconds on the wire. */
  | { readonly kind: "time" };

interface Extra {
  readonly flag?: string | undefined;
  readonly required?: boolean;
  readonly details?: string;
  readonly default?: string;
}

/** A query parameter. Its flag is the wire name with dashes by default. */
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

/** The complete help text. */
export function fullHelp({ help, details = "", default: usual }: Param): string {
  return `${help}${details}${usual === undefined ? "" : ` (default ${usual})`}`;
}

/** A path parameter: a required argument, sent as one percent-encoded segment. */
export function path(name: string, kind: ParamKind, help: string): Param {
  return { name, place: "path", required: true, flag: undefined, kind, help };
}

/** A query parameter that dexdata sets. It has no flag. */
export function internal(name: string, kind: ParamKind, help: string): Param {
  return query(name, kind, help, { flag: undefined });
}

export const choice = (choices: readonly string[], refused?: Readonly<Record<string, string>>): ParamKind =>
  refused === undefined ? { kind: "choice", choices } : { kind: "choice", choices, refused };
