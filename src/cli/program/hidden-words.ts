import type { Command } from "../commands/command.ts";

/** A word that other tools use. It works, and the reference lists it, but help and completion do not. */
export interface HiddenWord {
  readonly word: string;
  /** The words of the command that it stands for. */
  readonly command: string;
  /** A flag without a value that it adds. */
  readonly flag?: string;
}

export const hiddenWords: readonly HiddenWord[] = [
  { word: "price", command: "prices" },
  { word: "trades", command: "txns" },
  { word: "swaps", command: "txns" },
  { word: "candles", command: "ohlcv" },
  { word: "chart", command: "ohlcv", flag: "chart" },
  { word: "chains", command: "networks" },
  { word: "login", command: "auth login" },
  // The name of the command in earlier versions.
  { word: "migrate", command: "explain" },
];

/** The words of the command; `words` themselves if they are not hidden. */
export function meantWords(words: string): string {
  return hiddenWords.find(({ word }) => word === words)?.command ?? words;
}

export function hiddenWordsOf({ words }: Pick<Command, "words">): readonly HiddenWord[] {
  return hiddenWords.filter(({ command }) => command === words);
}
