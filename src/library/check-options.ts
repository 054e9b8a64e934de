import { invalidInput, usageFailure } from "../base/failure.ts";
import { readChoice } from "../api/read-choice.ts";
import { isObject } from "../base/json/json-scan.ts";
import { didYouMean, nearest } from "../base/text/nearest.ts";

/** Rejects everything except an object with these names, because ignoring a misspelled one would hide the mistake. */
export function checkNames(
  given: unknown,
  what: "option" | "parameter",
  names: readonly string[],
  receiver: string,
): void {
  const accepted = names.length === 0 ? `it takes no ${what}s` : `accepted ${what}s: ${names.join(", ")}`;
  if (!isObject(given)) throw usageFailure(`the ${what}s of ${receiver} are not an object`, accepted);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const isOption = what === "parameter" && unknown === "limit";
  throw usageFailure(
    `unknown ${what} ${unknown} for ${receiver}`,
    isOption
      ? "limit is an option: pass { limit } after the parameters"
      : didYouMean(nearest(unknown, names), accepted),
  );
}

export type TypeCheck = readonly [isAccepted: (value: unknown) => boolean, what: string];

/** A program without types can pass anything. Later, a wrong value would cause a TypeError that does not name it. */
export function checkOptions(
  options: object,
  types: Readonly<Record<string, TypeCheck>>,
  receiver: string,
): void {
  checkNames(options, "option", Object.keys(types), receiver);
  for (const [name, value] of Object.entries(options)) {
    const [isAccepted, what] = types[name] ?? readLater;
    if (value !== undefined && !isAccepted(value)) throw invalidInput(name, `must be ${what}`);
  }
}

export const isString = (value: unknown): boolean => typeof value === "string";

export const aString: TypeCheck = [isString, "a string"];

export const aFunction: TypeCheck = [(value) => typeof value === "function", "a function"];

/** The code that reads the option rejects other types, too. */
export const readLater: TypeCheck = [() => true, ""];

export function oneOf<Word extends string>(name: string, given: unknown, words: readonly Word[]): Word {
  if (typeof given === "string") return readChoice(`${name} "${given}"`, given, words);
  throw invalidInput(name, `must be one of ${words.join(", ")}`);
}

export function wholeNumber(
  name: string,
  value: number,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
  otherwise = "",
): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const accepted = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`;
  throw invalidInput(name, `must be a whole number${accepted}${otherwise}`);
}

export const orUnlimited = ', or "unlimited"';
