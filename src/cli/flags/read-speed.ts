import { usageFailure } from "../../contract/failure.ts";
import type { FlagValues } from "./flags.ts";

/** How fast a sandbox's time runs; 0 for not at all, undefined when it was not typed. */
export function readSpeed(flags: FlagValues): number | undefined {
  if (flags["speed"] === undefined) return undefined;
  const typed = String(flags["speed"]);
  if (/^\d{1,6}(\.\d{1,3})?$/u.test(typed)) return Number(typed);
  throw usageFailure(`--speed "${typed}": must be a number, 0 or more, such as 0, 1 or 60`);
}
