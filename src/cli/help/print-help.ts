import type { Context } from "../../model/context.ts";
import { type ExitCode, usageFailure } from "../../model/failure.ts";
import { catalogue } from "../catalogue.ts";
import { didYouMean, nearestCommand } from "../asking/nearest-command.ts";
import { commandHelp, type HelpForm } from "./command-help.ts";
import { groupHelp, overview } from "./overview.ts";
import type { Block } from "./page.ts";
import { printPage } from "./print-page.ts";
import { topicNames } from "./topic-names.ts";
import { topics } from "./topics/topics.ts";

/** What `dexdata help <words>` shows: a command, a word that leads to some, a topic, or without words the overview. */
export async function printHelp(
  words: readonly string[],
  form: HelpForm,
  context: Context,
): Promise<ExitCode> {
  await printPage(pageOf(words, form, context), context);
  return 0;
}

function pageOf(words: readonly string[], form: HelpForm, context: Context): readonly Block[] {
  const entries = catalogue();
  const asked = words.join(" ");
  if (asked === "") return overview(entries);
  const entry = entries.find((each) => each.words === asked);
  if (entry !== undefined) return commandHelp(entry, form);
  if (entries.some((each) => each.words.startsWith(`${asked} `))) return groupHelp(asked, entries);
  const topic = topicNames.find((name) => name === asked);
  if (topic !== undefined) return topics[topic](entries, context);
  throw usageFailure(
    `"${asked}": there is no help on it`,
    didYouMean(
      nearestCommand(asked, [...entries.map((each) => each.words), ...topicNames]),
      "see: dexdata --help",
    ),
  );
}
