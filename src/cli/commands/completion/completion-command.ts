import { localExits, type ExitCode } from "../../../base/exit-codes.ts";
import { command } from "../command.ts";
import { pick } from "../../run/flags/flag.ts";
import { sharedFlags } from "../../run/flags/shared-flags.ts";
import type { Context } from "../../../base/context/context.ts";
import { usageFailure } from "../../../base/failure.ts";
import { readChoice } from "../../../api/read-param.ts";

/** The scripts run the program each time Tab is pressed, so they never become outdated. */
const scripts = {
  bash: "completions/dexdata.bash",
  zsh: "completions/_dexdata",
  fish: "completions/dexdata.fish",
} as const;

const shells = ["bash", "zsh", "fish"] as const;

export const completionCommand = command({
  words: "completion",
  section: "Setup",
  positionals: [{ name: shells.join("|"), suggests: shells }],
  summary: "Print a completion script for bash, zsh or fish",
  examples: [
    "source <(dexdata completion bash)",
    'dexdata completion zsh > "${fpath[1]}/_dexdata"',
    "dexdata completion fish > ~/.config/fish/completions/dexdata.fish",
  ],
  exits: localExits,
  flags: {},
  shared: pick(sharedFlags, "error-format"),
  run: async ({ words }, context) => await printCompletion(words, context),
});

/** For users whose package manager did not install the script. */
async function printCompletion(words: readonly string[], context: Context): Promise<ExitCode> {
  const [word = "", more] = words;
  if (word === "") throw usageFailure("missing <shell>", usage);
  if (more !== undefined) throw usageFailure(`unexpected argument "${more}"`, usage);
  const shell = readChoice(`shell "${word}"`, word, shells);
  await context.stdout.write(context.packageFile(scripts[shell]));
  return 0;
}

const usage = "usage: dexdata completion <bash|zsh|fish>";
