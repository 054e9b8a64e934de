import { atOrAfter, readInstant, type RequestInstant } from "./instant.ts";
import { invalidChoice, invalidParam, missingParam } from "./refusal.ts";

/**
 * The query of a request. A name asked for is the only one read: everything else is dropped without a word, as
 * the specification says of unknown names. Of a repeated name the first value counts.
 */
export class Query {
  readonly #values: URLSearchParams;
  /** Unix seconds, what a relative time is counted from. */
  readonly #now: number;

  constructor(text: string, now: number) {
    this.#values = new URLSearchParams(text);
    this.#now = now;
  }

  /** The same query, with relative times counted from another instant. */
  countedFrom(now: number): Query {
    return new Query(this.#values.toString(), now);
  }

  /** The value as sent; an empty one is a value. */
  raw(name: string): string | undefined {
    return this.#values.get(name) ?? undefined;
  }

  /** Every value of a repeated name. */
  all(name: string): readonly string[] {
    return this.#values.getAll(name);
  }

  /** Empty counts as absent. */
  text(name: string): string | undefined {
    const value = this.raw(name);
    return value === "" ? undefined : value;
  }

  integer(name: string, min: number, max: number): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    const bounds = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `between ${min} and ${max}`;
    throw invalidParam(name, `must be a whole number ${bounds}`);
  }

  number(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const number = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(value) ? Number(value) : Number.NaN;
    if (Number.isFinite(number)) return number;
    throw invalidParam(name, "must be a number");
  }

  boolean(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (value === "true" || value === "1") return true;
    if (value === "false" || value === "0") return false;
    throw invalidParam(name, "must be true or false");
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const choice = choices.find((each) => each === value);
    if (choice === undefined) throw invalidChoice(name, choices);
    return choice;
  }

  /** A lower bound, inclusive: the first whole second inside. */
  from(name: string): number | undefined {
    const instant = this.#instant(name);
    return instant === undefined ? undefined : atOrAfter(instant);
  }

  /** An upper bound, inclusive: the last whole second inside. */
  to(name: string): number | undefined {
    return this.#instant(name)?.seconds;
  }

  #instant(name: string): RequestInstant | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const instant = readInstant(value, this.#now);
    if (instant !== undefined) return instant;
    const forms = "unix seconds, -30s, -15m, -24h, -7d, an RFC 3339 timestamp or YYYY-MM-DD";
    throw invalidParam(name, `must be a time: ${forms}`);
  }
}

export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw missingParam(name);
  return value;
}
