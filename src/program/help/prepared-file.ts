import type { HelpForm } from "./command-help.ts";
import type { Block } from "../../render/page/help-page.ts";

/** A help page that the build prepared, so that showing help loads no command. */
export type PreparedPage = Readonly<Record<HelpForm, readonly Block[]>>;

/** Its path in the build directory: `help/pools_search.json`. No command has a `_` in its words. */
export function preparedFile(words: readonly string[]): string {
  return `help/${words.length === 0 ? "overview" : words.join("_")}.json`;
}
