import { allCommands } from "../src/cli/all-commands.ts";
import { answerShell } from "../src/cli/complete.ts";

/** The shell waits for this function each time Tab is pressed, so it loads only the names of commands and flags. */
export function completeWords(argv: readonly string[]): void {
  // It is not an error if the shell stops reading early.
  process.stdout.on("error", () => undefined);
  process.stdout.write(answerShell(process, allCommands, argv));
}
