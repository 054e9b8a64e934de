/**
 * One input of an endpoint: read from what the user typed, checked, written to the wire. `name` is the wire
 * name of the specification; `flag` what a person types for it (without dashes), undefined where the program
 * itself decides the value (paging).
 */
export interface Param {
  readonly name: string;
  readonly place: "path" | "query";
  readonly required: boolean;
  readonly flag: string | undefined;
  /**
   * Given by its wire name instead of a flag: as `--field name=value`, sent as typed, or as a property by a program.
   */
  readonly givenAs?: "field" | "property";
  readonly kind: ParamKind;
  /** One line for help; states the unit. */
  readonly help: string;
}

export type ParamKind =
  | { readonly kind: "text" }
  /** A network slug: the service's to know, passed on exactly as typed. */
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
      /** Values people try, that the service refuses: why, and what to do instead. */
      readonly refused?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "toggle" }
  /** Any time bound of `model/time.ts`; unix seconds on the wire. */
  | { readonly kind: "time" };

interface Extra {
  readonly flag?: string | undefined;
  readonly required?: boolean;
}

/** A query parameter; its flag is the wire name with dashes unless said otherwise. */
export function query(name: string, kind: ParamKind, help: string, extra: Extra = {}): Param {
  const flag = "flag" in extra ? extra.flag : name.replaceAll("_", "-");
  return { name, place: "query", required: extra.required ?? false, flag, kind, help };
}

/** A path parameter: a word of the command line, required, sent as one percent-encoded segment. */
export function path(name: string, kind: ParamKind, help: string): Param {
  return { name, place: "path", required: true, flag: undefined, kind, help };
}

/** A query parameter that the program sets by itself: no flag of its own. */
export function internal(name: string, kind: ParamKind, help: string): Param {
  return query(name, kind, help, { flag: undefined });
}

export const choice = (choices: readonly string[], refused?: Readonly<Record<string, string>>): ParamKind =>
  refused === undefined ? { kind: "choice", choices } : { kind: "choice", choices, refused };
