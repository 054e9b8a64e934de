import { readDuration } from "../../model/time/duration.ts";
import { readInteger } from "../../model/read-param.ts";
import type { FlagValues } from "./flags.ts";

/** As typed; undefined where it was not. */
export function readText(flags: FlagValues, name: string): string | undefined {
  return flags[name] === undefined ? undefined : String(flags[name]);
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
