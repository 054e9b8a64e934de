import { appendFileSync } from "node:fs";
import { usageFailure } from "../contract/failure.ts";
import { cannotBeWritten } from "./file-fault.ts";

export interface LogFile {
  readonly file: string;
  /** Starts the message about a file that cannot be written. */
  readonly label: string;
  /** The hint for a file that cannot be opened. */
  readonly advice?: string;
  /** Called once, for a later write that fails, as on a full disk. */
  readonly onProblem: (problem: string) => void;
}

/**
 * Opens a file for lines that are appended during a run. Each text is one write, so lines stay complete and the file can
 * be moved away. Throws if the file cannot be opened. The returned function reports whether it has written the text.
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
