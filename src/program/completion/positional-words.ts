import { outputFormats } from "../../contract/output-format.ts";
import { colorModes, settings } from "../../settings/settings.ts";
import type { Context } from "../../context/context.ts";
import type { Command, Positional } from "../../commands/command.ts";
import { type Asked, type Candidate, type Completion, files, nothing, only } from "./completion.ts";
import { commandWords, helpWords } from "./command-words.ts";
import { flagWords } from "./flag-words.ts";
import { knownNetworks, storedProfiles } from "./kept-words.ts";

/** Words that are no flags, by what the command says of each. */
export function positionalWords(asked: Asked, command: Command, current: string): Completion {
  const { context, entries, line } = asked;
  const { positionals: before } = line;
  const [first, last] = [command.positionals[0], command.positionals.at(-1)];
  // The words of a command are several for one positional.
  if (first?.suggests === "commands and topics") return only(helpWords(entries, before));
  if (first?.suggests === "commands") return only(commandWords(entries, before.join(" ")));
  const positional = command.positionals[before.length] ?? (last?.isRepeatable === true ? last : undefined);
  const isBeforeDashes = positional?.suggests === "command line" && !line.isAfterDashes;
  if (positional === undefined || isBeforeDashes) return line.isAfterDashes ? nothing : only(flagWords(line));
  if (positional.isList === true && current.startsWith("@")) return files("@");
  switch (positional.suggests) {
    case "networks":
      return current.includes(":") ? nothing : only(knownNetworks(context));
    case "command line":
      return files("");
    case "addresses":
      return only(atAddress(asked, positional, current));
    case "settings":
    case "setting values":
      return only(ofSetting(context, command, before));
    case "profiles":
      return only(storedProfiles(context));
    case undefined:
    case "commands":
    case "commands and topics":
      return nothing;
    default:
      return only(positional.suggests.map((word) => ({ word })));
  }
}

/** Addresses are nobody's to guess; `ethereum:` in front of one is, where no network stands alone before it. */
function atAddress({ context, line }: Asked, { name }: Positional, current: string): readonly Candidate[] {
  const [first] = line.positionals;
  const isPair = first === undefined ? name.startsWith("network:") : /[:@]/u.test(first);
  if (!isPair || current.includes(":")) return [];
  return knownNetworks(context).map(({ word, ...rest }) => ({ word: `${word}:`, ...rest }));
}

function ofSetting(
  context: Pick<Context, "env" | "platform">,
  { words }: Command,
  [name]: readonly string[],
): readonly Candidate[] {
  if (name === undefined) {
    return Object.values(settings)
      .filter(({ environmentOnly }) => !environmentOnly || words === "config get")
      .map((setting) => ({ word: setting.name, description: setting.help }));
  }
  if (name === "profile") return storedProfiles(context);
  const choices = { output: outputFormats, color: colorModes, rpm: ["unlimited"] };
  return Object.entries(choices).flatMap(([setting, values]) =>
    setting === name ? values.map((word) => ({ word })) : [],
  );
}
