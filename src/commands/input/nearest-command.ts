import { nearest } from "../../text/nearest.ts";

/** Command names from other tools. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ["transactions", "txns"],
  ["trades", "txns"],
  ["swaps", "txns"],
  ["history", "txns"],
  ["candles", "ohlcv"],
  ["chart", "ohlcv"],
  ["chains", "networks"],
  ["quote", "prices"],
  ["pairs", "pools search"],
  ["top", "tokens search"],
  ["find", "search"],
  ["credits", "usage"],
  ["plan", "usage"],
  ["limits", "usage"],
  ["login", "auth login"],
  ["logout", "auth logout"],
  ["key", "auth status"],
  ["status", "auth status"],
  ["whoami", "auth status"],
  ["settings", "config list"],
  ["live", "stream"],
  ["watch", "stream"],
  ["tail", "stream"],
  ["follow", "stream"],
  ["raw", "api"],
  ["curl", "api"],
  ["get", "api"],
  ["manual", "help"],
  ["version", "--version"],
]);

/** Also finds other forms of a word, such as `pools search` for `pool search`. */
export function nearestCommand(typed: string, known: readonly string[]): string | undefined {
  const words = typed.toLowerCase();
  const meant = synonyms.get(words);
  if (meant !== undefined) return meant;
  return nearest(words, known);
}

export function didYouMean(near: string | undefined, otherwise: string): string {
  return near === undefined ? otherwise : `did you mean ${near}?`;
}
