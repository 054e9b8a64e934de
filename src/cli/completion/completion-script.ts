import type { CatalogueEntry } from "../catalogue.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

/** The completion script of a shell: commands, flags and fixed words; files where a flag takes one. */
export function completionScript(shell: Shell, entries: readonly CatalogueEntry[]): string {
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return scripts[shell](entries);
}
