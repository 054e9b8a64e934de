import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { usageFailure } from "../../contract/failure.ts";
import { choiceFailure } from "../../contract/read-param.ts";
import { completionScripts } from "../completion/completion-script.ts";
import { shells } from "../completion/shells.ts";

/** Prints what is committed in completions/, for an installation that did not put it in place. */
export async function printCompletion(words: readonly string[], context: Context): Promise<ExitCode> {
  const [word = "", more] = words;
  if (word === "") throw usageFailure("a shell is needed", usage);
  if (more !== undefined) throw usageFailure(`"${more}": one word too many`, usage);
  const shell = shells.find((each) => each === word);
  if (shell === undefined) throw choiceFailure(`"${word}"`, word, shells);
  await context.stdout.write(completionScripts[shell]);
  return 0;
}

const usage = "usage: dexdata completion <bash|zsh|fish>";
