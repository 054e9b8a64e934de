import type { HelpForm } from "./command-help.ts";
import type { Block } from "./page.ts";

/** A page that the build draws up, so that help loads nothing of what it tells. */
export type PreparedPage = Readonly<Record<HelpForm, readonly Block[]>>;

/** Where it is, below the folder of the build: `help/pools_search.json`. No word of a command has a `_`. */
export function preparedFile(words: readonly string[]): string {
  return `help/${words.length === 0 ? "overview" : words.join("_")}.json`;
}
