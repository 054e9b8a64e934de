import { catalogue } from "../catalogue.ts";
import { commandHelp } from "./command-help.ts";
import { groupHelp, overview } from "./overview.ts";
import type { Block } from "./page.ts";
import type { PreparedPage } from "./prepared-file.ts";

/** The page on these words where they name a command, or lead to some; without words the overview of all. */
export function preparedPage(words: string): PreparedPage | undefined {
  const entries = catalogue();
  if (words === "") return inBothForms(overview(entries));
  const entry = entries.find((each) => each.words === words);
  if (entry !== undefined) return { brief: commandHelp(entry, "brief"), full: commandHelp(entry, "full") };
  const leads = entries.some((each) => each.words.startsWith(`${words} `));
  return leads ? inBothForms(groupHelp(words, entries)) : undefined;
}

function inBothForms(page: readonly Block[]): PreparedPage {
  return { brief: page, full: page };
}

/** The words of every such page. */
export function preparedWords(): readonly string[] {
  const commands = catalogue().map(({ words }) => words);
  const groups = commands.filter((words) => words.includes(" ")).map((words) => words.split(" ")[0] ?? "");
  return [...new Set(["", ...groups, ...commands])];
}
