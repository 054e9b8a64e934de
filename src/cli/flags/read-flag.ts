import { readDuration } from "../../contract/duration.ts";
import { readInteger } from "../../contract/read-param.ts";
import { usageFailure } from "../../contract/failure.ts";
import type { FlagValues } from "./flags.ts";

/** As typed; undefined where it was not. */
export function readText(flags: FlagValues, name: string): string | undefined {
  return flags[name] === undefined ? undefined : String(flags[name]);
}

/** The name of a file to write; `-` means stdout elsewhere, and would be a file called so. */
export function readFileName(flags: FlagValues, name: string): string | undefined {
  const typed = readText(flags, name);
  if (typed !== "" && typed !== "-") return typed;
  const next = `${name === "out" ? "leave it out for stdout, or " : ""}write ./- for a file of that name`;
  throw usageFailure(`--${name} "${typed}": must be the name of a file`, typed === "-" ? next : undefined);
}

/** A whole number within the bounds; anything else is refused under the flag's name. */
export function readCount(
  flags: FlagValues,
  name: string,
  bounds: { readonly min: number; readonly max?: number },
): number | undefined {
  const typed = readText(flags, name);
  return typed === undefined ? undefined : Number(readInteger(`--${name} "${typed}"`, typed, bounds));
}

/** Milliseconds of a duration such as `30s`. */
export function readTime(flags: FlagValues, name: string): number | undefined {
  const typed = readText(flags, name);
  return typed === undefined ? undefined : readDuration(`--${name} "${typed}"`, typed);
}
