import { command } from "../command.ts";
import { pick } from "../../run/flags/flag.ts";
import { sharedFlags } from "../../run/flags/shared-flags.ts";
import { shells } from "./shells.ts";

export const completionCommand = command({
  words: "completion",
  section: "Set up",
  positionals: [{ name: shells.join("|"), suggests: shells }],
  summary: "a completion script for bash, zsh or fish",
  examples: [
    "source <(dexdata completion bash)",
    'dexdata completion zsh > "${fpath[1]}/_dexdata"',
    "dexdata completion fish > ~/.config/fish/completions/dexdata.fish",
  ],
  flags: {},
  shared: pick(sharedFlags, "error-format"),
  run: async ({ words }, context) =>
    await (await import("./print-completion.ts")).printCompletion(words, context),
});
