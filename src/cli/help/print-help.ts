import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { usageFailure } from "../../contract/failure.ts";
import { catalogue } from "../catalogue.ts";
import { didYouMean, nearestCommand } from "../asking/nearest-command.ts";
import type { HelpForm } from "./command-help.ts";
import type { Block } from "./page.ts";
import { preparedPage } from "./prepared-pages.ts";
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
  const asked = words.join(" ");
  const page = preparedPage(asked);
  if (page !== undefined) return page[form];
  const entries = catalogue();
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
