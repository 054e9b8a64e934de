import { usageFailure } from "../base/failure.ts";
import { nearest } from "../base/text/nearest.ts";

/** Rejects everything except an object with these options, because ignoring a misspelled option would hide the mistake. */
export function checkOptions(options: unknown, names: readonly string[], receiver: string): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw usageFailure(`the options of ${receiver} are not an object`, accepted(names));
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
