import { nearest } from "../../../base/text/nearest.ts";

/** For each command, its names in other tools. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  txns: ["transactions", "history"],
  prices: ["quote"],
  "pools search": ["pairs"],
  "tokens search": ["top"],
  search: ["find"],
  usage: ["credits", "plan", "limits"],
  "auth logout": ["logout"],
  "auth status": ["key", "status", "whoami"],
  "config list": ["settings"],
  stream: ["live", "watch", "tail", "follow"],
  api: ["raw", "curl", "get"],
  help: ["manual"],
  "--version": ["version"],
};

/** Also finds other forms of a word, such as `pools search` for `pool search`. */
export function nearestCommand(typed: string, known: readonly string[]): string | undefined {
  const words = typed.toLowerCase();
  const meant = Object.keys(synonyms).find((name) => synonyms[name]?.includes(words));
  return meant ?? nearest(words, known);
}

export function didYouMean(near: string | undefined, otherwise: string): string {
  return near === undefined ? otherwise : `did you mean ${near}?`;
}
