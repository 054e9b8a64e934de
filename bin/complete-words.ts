import { allCommands } from "../src/program/all-commands.ts";
import { answerShell } from "../src/program/completion/complete.ts";

/** A shell waits for this at each Tab, so it loads only the names of commands and flags. */
export function completeWords(argv: readonly string[]): void {
  // A shell that has stopped reading is not an error.
  process.stdout.on("error", () => undefined);
  process.stdout.write(answerShell(process, allCommands, argv));
}
