import { isInterruption } from "../../context/context.ts";
import { Failure, type FailureDetails } from "../../contract/failure.ts";
import type { Pull } from "./pull.ts";
import { moreLine, quoted } from "./continuation.ts";
import type { WantedDestination } from "../../pull/claim-file.ts";
import { flagWords, type TypedFlags } from "../../run/flags/flag.ts";
import { counted } from "../../text/counted.ts";
import { formats } from "../../render/formats/formats.ts";
import { outputFailure } from "../../run/output-failure.ts";
import type { RunOptions } from "../../run/run-options.ts";

/**
 * What ended a pull early, with how many rows came before, so that they are not taken for all, and the command that
 * goes on. After a signal, which is no failure, the same is said as a notice.
 */
export function whyCutShort(thrown: unknown, run: Pull, to: WantedDestination): unknown {
  // A write that fails because the reader is gone is no failure of the output.
  const cause = run.context.signal.aborted ? run.context.signal.reason : (outputFailure(thrown) ?? thrown);
  const { rows } = run.destination.tally;
  const next = howToGoOn(run, to);
  if (isInterruption(cause) && cause.cause !== "closed-pipe" && (rows > 0 || to.isResumed)) {
    run.report.tell(`interrupted after ${counted(rows, "row")}${next === undefined ? "" : `; ${next}`}`);
  }
  if (!(cause instanceof Failure) || rows === 0) return cause;
  return new Failure(`${cause.message}; ${counted(rows, "row")} came before`, {
    ...cause.details,
    next: bothOf(cause.details, next),
  });
}

/** What is in the way of the output comes before the command that continues, which would fail again. */
function bothOf(
  { code, isDamaged, next: advice }: FailureDetails,
  next: string | undefined,
): string | undefined {
  if (isDamaged === true) return advice;
  return code === "output" && advice !== undefined && next !== undefined
    ? `${advice}; ${next}`
    : (next ?? advice);
}

function howToGoOn(
  { questions, last, typed, destination, options }: Pull,
  to: WantedDestination,
): string | undefined {
  const { command } = typed;
  const given = typed.input.typed;
  if (options.picture === "chart") return `nothing was drawn; ask again: ${sameCommand(command, given)}`;
  if (to.isResumed || destination.canContinue())
    return `continue: ${sameCommand(command, new Map([...given, ["resume", [undefined]]]))}`;
  if (to.file !== undefined)
    return `${to.file} was not ${to.isForced ? "changed" : "written"}; for a resumable pull: ${resumable(command, given, options)} --resume`;
  const { rowsOfQuestion, question } = destination.tally;
  const left = questions.limit === undefined ? undefined : questions.limit - rowsOfQuestion;
  if (last === undefined || (left !== undefined && left <= 0)) return undefined;
  // No flag says at which of several inputs to begin.
  if (question > 0 || last.page.next?.flag === "subject")
    return `inputs are left; a pull that can go on begins with: ${resumable(command, given, options)} --out FILE --resume`;
  return moreLine(last.question, given, last.page, questions.walk.pageSize, left);
}

/** A table cannot be gone on with, so the format is left out; one that the settings say is outvoted. */
function resumable(command: readonly string[], typed: TypedFlags, { format, settings }: RunOptions): string {
  if (formats[format].canGrow) return sameCommand(command, typed);
  const others = new Map([...typed].filter(([name]) => !["output", "columns", "spark"].includes(name)));
  const kept = settings.output.value;
  if (kept === "table" || kept === "wide") others.set("output", ["ndjson"]);
  return sameCommand(command, others);
}

/** The words as they were typed. */
function sameCommand(command: readonly string[], typed: TypedFlags): string {
  const flags = new Map([...typed].filter(([name]) => name !== "verbose" && name !== "force"));
  return ["dexdata", ...command, ...flagWords(flags)].map(quoted).join(" ");
}
