import { isInterruption } from "../../context/context.ts";
import { Failure, type FailureDetails } from "../../contract/failure.ts";
import type { Run } from "../answer-questions.ts";
import { moreLine, quoted } from "./continuation.ts";
import type { DestinationFlags } from "../flags/destination-flags.ts";
import { flagWords } from "../flags/flags.ts";
import { counted } from "../../text/counted.ts";
import { outputFailure } from "./output-failure.ts";
import type { Typed } from "../run-endpoint.ts";
import type { RunOptions } from "../run-options.ts";

/**
 * What ended a pull early, with how many rows came before, so that they are not taken for all, and the command that
 * goes on. After a signal, which is no failure, the same is said as a notice.
 */
export function whyCutShort(thrown: unknown, run: Run, to: DestinationFlags): unknown {
  // A write that fails because the reader is gone is no failure of the output.
  const cause = run.context.signal.aborted ? run.context.signal.reason : (outputFailure(thrown) ?? thrown);
  const { rows } = run.destination.tally;
  const next = howToGoOn(run, to);
  if (isInterruption(cause) && cause.cause !== "closed-pipe" && (rows > 0 || to.isResumed)) {
    run.notices.warn(`interrupted after ${counted(rows, "row")}${next === undefined ? "" : `; ${next}`}`);
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
  { questions, last, typed, destination, options }: Run,
  to: DestinationFlags,
): string | undefined {
  if (options.picture === "chart") return `nothing was drawn; ask again: ${sameCommand(typed)}`;
  if (to.isResumed || destination.canContinue())
    return `continue: ${sameCommand({ ...typed, flags: { ...typed.flags, resume: true } })}`;
  if (to.file !== undefined)
    return `${to.file} was not ${to.isForced ? "changed" : "written"}; for a resumable pull: ${resumable(typed, options)} --resume`;
  const { rowsOfQuestion, question } = destination.tally;
  const left = questions.limit === undefined ? undefined : questions.limit - rowsOfQuestion;
  if (last === undefined || (left !== undefined && left <= 0)) return undefined;
  // No flag says at which of several inputs to begin.
  if (question > 0 || last.page.next?.flag === "subject")
    return `inputs are left; a pull that can go on begins with: ${resumable(typed, options)} --out FILE --resume`;
  return moreLine(last.question, typed.flags, last.page, questions.walk.pageSize, left);
}

/** A table cannot be gone on with, so the format is left out; one that the settings say is outvoted. */
function resumable({ command, flags }: Typed, { format, settings }: RunOptions): string {
  if (format !== "table") return sameCommand({ command, flags });
  const { output: _output, columns: _columns, spark: _spark, ...others } = flags;
  const kept = settings.output.value;
  const isTable = kept === "table" || kept === "wide";
  return sameCommand({ command, flags: isTable ? { ...others, output: "ndjson" } : others });
}

/** The words as they were typed. */
function sameCommand({ command, flags }: Pick<Typed, "command" | "flags">): string {
  const words = ["dexdata", ...command];
  for (const [name, value] of Object.entries(flags)) {
    if (value === undefined || name === "verbose" || name === "force") continue;
    words.push(...flagWords(name, value));
  }
  return words.map(quoted).join(" ");
}
