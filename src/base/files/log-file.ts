import { appendFileSync } from "node:fs";
import { usageFailure } from "../failure.ts";
import { cannotBeWritten, writeAdvice } from "./file-errors.ts";

interface LogFile {
  readonly file: string;
  /** The start of the message if the file cannot be written. */
  readonly label: string;
  /** Called for the first of a series of later writes that fail, for example because the disk is full. */
  readonly onProblem: (problem: string) => void;
}

/**
 * Each call writes its text at once, so lines stay complete and the file can be moved during the run. Throws if the
 * file cannot be opened. The returned function reports whether the write succeeded.
 */
export function openLogFile({ file, label, onProblem }: LogFile): (text: string) => boolean {
  const problemOf = (cause: unknown): string => `${label}: ${cannotBeWritten(cause)}`;
  try {
    appendFileSync(file, "");
  } catch (cause) {
    throw usageFailure(problemOf(cause), writeAdvice(cause));
  }
  let isFailing = false;
  return (text) => {
    try {
      appendFileSync(file, text);
      isFailing = false;
    } catch (cause) {
      if (!isFailing) onProblem(problemOf(cause));
      isFailing = true;
    }
    return !isFailing;
  };
}
