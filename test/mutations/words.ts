/** Why a mutant may survive, by its name. */
export const words: Readonly<Record<string, string>> = {};
