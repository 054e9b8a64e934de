import type { HelpForm } from "./command-help.ts";
import type { Block } from "../../render/page/help-page.ts";

/** Prepared by the build, so that help can be shown without loading a command. */
export type PreparedPage = Readonly<Record<HelpForm, readonly Block[]>>;

/** In the build directory, such as `help/pools_search.json`. Command words never contain `_`. */
export function preparedFile(words: readonly string[]): string {
  return `help/${words.length === 0 ? "overview" : words.join("_")}.json`;
}
