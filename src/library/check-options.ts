import { invalidInput, usageFailure } from "../base/failure.ts";
import { isObject } from "../base/json/json-scan.ts";
import { nearest } from "../base/text/nearest.ts";

/** Rejects everything except an object with these options, because ignoring a misspelled option would hide the mistake. */
export function checkOptions(options: unknown, names: readonly string[], receiver: string): void {
  if (!isObject(options)) throw usageFailure(`the options of ${receiver} are not an object`, accepted(names));
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, names);
  throw usageFailure(
    `unknown option ${unknown} for ${receiver}`,
    near === undefined ? accepted(names) : `did you mean ${near}?`,
  );
}

function accepted(names: readonly string[]): string {
  return names.length === 0 ? "it takes no options" : `accepted options: ${names.join(", ")}`;
}

/** A program without types can pass anything. Later, a wrong value would cause a TypeError that does not name it. */
export function checkTypes(
  options: object,
  types: Readonly<Record<string, readonly [isAccepted: (value: unknown) => boolean, what: string]>>,
): void {
  for (const [name, value] of Object.entries(options)) {
    const [isAccepted, what] = types[name] ?? [() => true, ""];
    if (value !== undefined && !isAccepted(value)) throw invalidInput(name, `must be ${what}`);
  }
}

export const isString = (value: unknown): boolean => typeof value === "string";

export const aString = [isString, "a string"] as const;

export const aFunction = [(value: unknown) => typeof value === "function", "a function"] as const;
