import { usageFailure } from "../../contract/failure.ts";
import type { Faults } from "../../sandbox/faults/fault.ts";
import { isFaultProblem, parseFaults } from "../../sandbox/faults/parse-faults.ts";
import type { FlagValues } from "./flags.ts";

/** `--faults`, read; undefined when it was not typed. */
export function readFaults(flags: FlagValues): Faults | undefined {
  const typed = flags["faults"];
  if (typed === undefined) return undefined;
  const faults = parseFaults(String(typed));
  if (isFaultProblem(faults)) throw usageFailure(`--faults ${faults.problem}`, faults.next);
  return faults;
}
