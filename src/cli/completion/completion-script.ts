import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import type { Shell } from "./shells.ts";
import { zshScript } from "./zsh.ts";

/** Each asks the program at every Tab, so that none of them grows old when a command changes. */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};
