/** What help and completions say of the words that only lead to others. */
export const groupSummaries: Readonly<Record<string, string>> = {
  tokens: "search tokens",
  pools: "search pools",
  auth: "keys and their plans",
  config: "settings that are kept",
};
