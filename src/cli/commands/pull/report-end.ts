import type { ExitCode } from "../../../base/exit-codes.ts";
import { counted } from "../../../base/text/counted.ts";
import { hiddenColumnWarnings } from "../../render/formats/missing-fields.ts";
import type { Renderer } from "../../render/renderer.ts";
import { higherLimit, sameCommand } from "./continuation.ts";
import { cutOffReason, type Pull } from "./pull.ts";
import { unsettledDays } from "./unsettled-days.ts";

interface Lines {
  readonly warnings: readonly string[];
  /** What the numbers mean. */
  readonly meanings: Iterable<string>;
  /** Where lists continue. */
  readonly more: readonly string[];
}

/** Says what a person should know about the rows that were written, and whether a script can rely on them. */
export function reportEnd(run: Pull, renderer: Renderer, { warnings, meanings, more }: Lines): ExitCode {
  const { plan, report, typed, command, reached } = run;
  const { endpoint, argSets, limit, missing } = plan;
  const { rows, refused, missing: absent } = reached.totals;
  for (const line of [...warnings, ...hiddenColumnWarnings(renderer)]) report.warn(line);
  for (const line of meanings) report.hint(line);
  for (const [group, hidden] of renderer.hidden?.() ?? []) {
    const narrowed = new Map([...typed, ["type", [group]]]);
    report.hint(`${hidden} more ${group}: ${sameCommand(command, narrowed)}`);
  }
  if (renderer.isShortened?.() === true) report.hint("complete addresses: -o wide");
  for (const line of more) remarkOnMore(run, line);
  if (reached.unfinished > 0)
    remarkOnMore(
      run,
      `more rows available for ${reached.unfinished} of ${counted(argSets.length, "input")}; ${higherLimit(endpoint, limit)}`,
    );
  if (rows === 0) report.hint("no results");
  if (tellRowsRead(run)) return 8;
  const unsettled = unsettledDays(run);
  if (unsettled?.exit === 8) {
    report.warn(unsettled.problem);
    return 8;
  }
  return refused > 0 || (absent > 0 && missing === "fail") ? 8 : 0;
}

/** Returns whether rows may be missing and the exit code must show it. A list with a limit is only a sample. */
function tellRowsRead(run: Pull): boolean {
  const { reached, typed, flags, report, options } = run;
  const { rows, rowsRead } = reached.totals;
  if (rowsRead === undefined) return false;
  if (!options.isQuiet)
    report.info(`read ${counted(rowsRead, "row")} to find ${counted(rows, "pool")} with all tokens`);
  const cutOff = cutOffReason(run);
  if (cutOff === undefined) return false;
  report.warn(`${cutOff}, but the list continues; more pools may contain all tokens`);
  return typed.has("all") || flags.out !== undefined;
}

/**
 * A default limit is reported even if stdout is a pipe, because a script might mistake a truncated list for the complete
 * result.
 */
function remarkOnMore({ typed, options, context, report }: Pull, line: string): void {
  const isByDefault = !typed.has("limit") && !options.isQuiet && !context.stderr.isTerminal;
  (isByDefault ? report.print : report.hint)(line);
}
