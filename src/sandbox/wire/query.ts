import type { Instant } from "../../base/time/time.ts";
import { readInstant } from "./request-times.ts";
import { choiceRule, invalidParam, missingParam } from "./service-refusal.ts";

const BOOLEANS = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** Unknown names are ignored, as the specification requires. If a name is repeated, the first value counts. */
export class Query {
  readonly #values: URLSearchParams;
  /** Unix seconds. Relative times count back from this time. */
  readonly #now: number;

  constructor(text: string, now: number) {
    this.#values = new URLSearchParams(text);
    this.#now = now;
  }

  countedFrom(now: number): Query {
    return new Query(this.#values.toString(), now);
  }

  /** An empty string is a value. */
  raw(name: string): string | undefined {
    return this.#values.get(name) ?? undefined;
  }

  all(name: string): readonly string[] {
    return this.#values.getAll(name);
  }

  /** A name may be repeated, its values may contain commas, or both. Empty items are skipped. */
  list(name: string): readonly string[] {
    return this.all(name)
      .flatMap((value) => value.split(","))
      .filter((item) => item !== "");
  }

  /** Like `raw`, but treats an empty string as missing. */
  text(name: string): string | undefined {
    const value = this.raw(name);
    return value === "" ? undefined : value;
  }

  integer(name: string, min: number, max: number): number | undefined {
    const bounds = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `between ${min} and ${max}`;
    return this.#parse(name, `must be a whole number ${bounds}`, (value) => {
      const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : undefined;
    });
  }

  number(name: string): number | undefined {
    return this.#parse(name, "must be a number", (value) => {
      const number = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(value) ? Number(value) : Number.NaN;
      return Number.isFinite(number) ? number : undefined;
    });
  }

  boolean(name: string): boolean | undefined {
    return this.#parse(name, "must be true or false", (value) => BOOLEANS.get(value));
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    return this.#parse(name, choiceRule(choices), (value) => choices.find((each) => each === value));
  }

  /** Returns the first full second in a range with this inclusive start. Trades occur on full seconds. */
  from(name: string): number | undefined {
    const instant = this.#instant(name);
    return instant && instant.seconds + (instant.fraction === "" ? 0 : 1);
  }

  /** Returns the last full second in a range with this end. */
  to(name: string, isIncluded = true): number | undefined {
    const instant = this.#instant(name);
    return instant && instant.seconds - (isIncluded || instant.fraction !== "" ? 0 : 1);
  }

  #instant(name: string): Instant | undefined {
    const forms = "unix seconds, -30s, -15m, -24h, -7d, an RFC 3339 timestamp or YYYY-MM-DD";
    return this.#parse(name, `must be a time: ${forms}`, (value) => readInstant(value, this.#now));
  }

  /** Undefined if the name is missing. Throws if the value violates the rule. */
  #parse<T>(name: string, rule: string, parse: (value: string) => T | undefined): T | undefined {
    const value = this.raw(name);
    const parsed = value === undefined ? undefined : parse(value);
    if (value !== undefined && parsed === undefined) throw invalidParam(name, rule);
    return parsed;
  }
}

export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw missingParam(name);
  return value;
}
