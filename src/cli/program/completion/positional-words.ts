import { textFormats } from "../../../api/output-format.ts";
import { colorModes, settings } from "../../../client/settings.ts";
import type { Context } from "../../../base/context/context.ts";
import type { Command, Positional } from "../../commands/command.ts";
import { knownRecords } from "../../commands/schema/known-records.ts";
import { type Asked, type Candidate, type Completion, files, nothing, only } from "./typed-line.ts";
import { flagWords, knownNetworks, storedProfiles } from "./suggested-words.ts";
import { groupSummaries } from "../help/overview.ts";
import { topicNames } from "../help/overview.ts";

export function positionalWords(asked: Asked, command: Command, current: string): Completion {
  const { context, entries, line } = asked;
  const { positionals: before } = line;
  const [first, last] = [command.positionals[0], command.positionals.at(-1)];
  // These arguments form a command name, which can have several words.
  if (first?.suggests === "commands and topics" || first?.suggests === "commands") {
    const topics = first.suggests === "commands" || before.length > 0 ? [] : topicNames;
    return only([...commandWords(entries, before.join(" ")), ...topics.map((word) => ({ word }))]);
  }
  const positional = command.positionals[before.length] ?? (last?.isRepeatable === true ? last : undefined);
  const isBeforeDashes = positional?.suggests === "command line" && !line.isAfterDashes;
  if (positional === undefined || isBeforeDashes) return line.isAfterDashes ? nothing : only(flagWords(line));
  // A list names its networks itself, so it can also be in the place of the network.
  if (last?.isList === true && positional.suggests !== "files" && current.startsWith("@")) return files("@");
  switch (positional.suggests) {
    case "files":
      return files("");
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
    case "records":
      return only(knownRecords().map(({ name }) => ({ word: name })));
    case undefined:
    case "commands":
    case "commands and topics":
      return nothing;
    default:
      return only(positional.suggests.map((word) => ({ word })));
  }
}

/** An address cannot be suggested, but the prefix `ethereum:` can, unless the network is a separate argument. */
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
      .filter((setting) => setting.only !== "environment" || words === "config get")
      .map((setting) => ({ word: setting.name, description: setting.help }));
  }
  if (name === "profile") return storedProfiles(context);
  const choices = { output: textFormats, color: colorModes, rpm: ["unlimited"] };
  return Object.entries(choices).flatMap(([setting, values]) =>
    setting === name ? values.map((word) => ({ word })) : [],
  );
}

/** The words that can follow `path` in a command's name. */
export function commandWords(entries: readonly Command[], path: string): readonly Candidate[] {
  const start = path === "" ? "" : `${path} `;
  const found = new Map<string, Candidate>();
  for (const { words, summary } of entries) {
    if (!words.startsWith(start)) continue;
    const [word = "", ...more] = words.slice(start.length).split(" ");
    const description = more.length === 0 ? summary : (groupSummaries[word] ?? "");
    if (!found.has(word)) found.set(word, { word, description });
  }
  return [...found.values()];
}
