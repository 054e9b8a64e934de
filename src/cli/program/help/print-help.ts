import { didYouMean } from "../../../base/text/nearest.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { usageFailure } from "../../../base/failure.ts";
import { type Command, meantWords } from "../../commands/command.ts";
import { commandHelp } from "./command-help.ts";
import { topicNames, groupHelp, overview } from "./overview.ts";
import { topicPage } from "./topics.ts";
import type { Block, HelpForm, PreparedPage } from "../../help-page.ts";
import { printPage } from "../../print-page.ts";
import { nearestCommand } from "../unknown-word.ts";

/** Without words, prints the overview. */
export async function printHelp(
  commands: readonly Command[],
  words: readonly string[],
  form: HelpForm,
  context: Context,
): Promise<ExitCode> {
  const asked = words.join(" ");
  const topic = topicNames.find((name) => name === asked);
  const page = preparedPage(commands, asked)?.[form] ?? (topic && topicPage(topic, commands, context));
  if (page === undefined) {
    const near = nearestCommand(asked, [...commands.map((each) => each.words), ...topicNames]);
    throw usageFailure(`unknown command or topic "${asked}"`, didYouMean(near, "see: dexdata --help"));
  }
  await printPage(page, context);
  return 0;
}

/** Without words, returns the overview. */
export function preparedPage(entries: readonly Command[], words: string): PreparedPage | undefined {
  if (words === "") return inBothForms(overview(entries));
  const entry = entries.find((each) => each.words === meantWords(words));
  if (entry !== undefined) return { brief: commandHelp(entry, "brief"), full: commandHelp(entry, "full") };
  const leads = entries.some((each) => each.words.startsWith(`${words} `));
  return leads ? inBothForms(groupHelp(words, entries)) : undefined;
}

function inBothForms(page: readonly Block[]): PreparedPage {
  return { brief: page, full: page };
}

export function preparedWords(entries: readonly Command[]): readonly string[] {
  const commands = entries.map(({ words }) => words);
  const groups = commands.filter((words) => words.includes(" ")).map((words) => words.split(" ")[0] ?? "");
  return [...new Set(["", ...groups, ...commands])];
}
