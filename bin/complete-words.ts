import { allCommands } from "../src/program/all-commands.ts";
import { answerShell } from "../src/program/completion/complete.ts";

/** A shell waits for this at each Tab: only what names commands and flags is loaded. */
export function completeWords(argv: readonly string[]): void {
  // A shell that no longer reads is no error.
  process.stdout.on("error", () => undefined);
  process.stdout.write(answerShell(process, allCommands, argv));
}
