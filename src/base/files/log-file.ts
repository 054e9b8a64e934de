import { appendFileSync } from "node:fs";
import { usageFailure } from "../failure.ts";
import { cannotBeWritten } from "./file-errors.ts";

interface LogFile {
  readonly file: string;
  /** The start of the message if the file cannot be written. */
  readonly label: string;
  /** The hint if the file cannot be opened. */
  readonly advice?: string;
  /** Called for the first of a series of later writes that fail, for example because the disk is full. */
  readonly onProblem: (problem: string) => void;
}

/**
 * Each call writes its text at once, so lines stay complete and the file can be moved during the run. Throws if the
 * file cannot be opened. The returned function reports whether the write succeeded.
 */
export function openLogFile({ file, label, advice, onProblem }: LogFile): (text: string) => boolean {
  const append = (text: string): string | undefined => {
    try {
      appendFileSync(file, text);
      return undefined;
    } catch (cause) {
      return `${label}: ${cannotBeWritten(cause)}`;
    }
  };
  const refused = append("");
  if (refused !== undefined) throw usageFailure(refused, advice);
  let isFailing = false;
  return (text) => {
    const problem = append(text);
    if (problem !== undefined && !isFailing) onProblem(problem);
    isFailing = problem !== undefined;
    return !isFailing;
  };
}
