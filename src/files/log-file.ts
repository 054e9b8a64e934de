import { appendFileSync } from "node:fs";
import { usageFailure } from "../contract/failure.ts";
import { cannotBeWritten } from "./file-fault.ts";

export interface LogFile {
  readonly file: string;
  /** What the message about a file that cannot be written begins with. */
  readonly label: string;
  /** What to do about a file that cannot be opened. */
  readonly advice?: string;
  /** Called once, for a write that fails later, as on a full disk. */
  readonly onProblem: (problem: string) => void;
}

/**
 * A file that lines are added to while a run goes on, each text in one write, so that lines are whole and the file may be
 * moved away. A file that cannot be opened is refused. What it gives tells whether a text was written.
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
  let isReported = false;
  return (text) => {
    const problem = append(text);
    if (problem !== undefined && !isReported) {
      isReported = true;
      onProblem(problem);
    }
    return problem === undefined;
  };
}
