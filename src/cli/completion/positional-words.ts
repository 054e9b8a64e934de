import { outputFormats } from "../../contract/output-format.ts";
import { colorModes, settings } from "../../settings/settings.ts";
import type { Context } from "../../context/context.ts";
import type { CatalogueEntry } from "../catalogue.ts";
import { type Asked, type Candidate, type Completion, files, nothing, only } from "./completion.ts";
import { commandWords, helpWords } from "./command-words.ts";
import { flagWords } from "./flag-words.ts";
import { knownNetworks, storedProfiles } from "./kept-words.ts";

/** Words that are no flags, by what help calls them: `<network>`, `<address…|@file|->`, `<bash|zsh|fish>`. */
export function positionalWords(asked: Asked, entry: CatalogueEntry, current: string): Completion {
  const { context, entries, line } = asked;
  const { positionals } = line;
  if (entry.words === "help") return only(helpWords(entries, positionals));
  if (entry.words === "commands") return only(commandWords(entries, positionals.join(" ")));
  const shapes = entry.positionals.match(/[<[][^\]>]+[\]>]/gu) ?? [];
  const last = shapes.at(-1) ?? "";
  const shape = shapes[positionals.length] ?? (last.includes("…") ? last : undefined);
  if (shape === undefined || (shape.startsWith("[--") && !line.isAfterDashes))
    return line.isAfterDashes ? nothing : only(flagWords(line));
  const kind = shape.slice(1, -1);
  if (kind === "network") return current.includes(":") ? nothing : only(knownNetworks(context));
  if (kind.startsWith("-- ")) return files("");
  if (kind.includes("@file") && current.startsWith("@")) return files("@");
  if (/^(?:network:)?address/u.test(kind)) return only(atAddress(asked, kind, current));
  if (entry.words.startsWith("config ")) return only(ofSetting(context, entry, positionals));
  if (kind === "profile") return positionals.length === 0 ? only(storedProfiles(context)) : nothing;
  return positionals.length === 0 ? only(entry.choices.map((word) => ({ word }))) : nothing;
}

/** Addresses are nobody's to guess; `ethereum:` in front of one is, where no network stands alone before it. */
function atAddress({ context, line }: Asked, kind: string, current: string): readonly Candidate[] {
  const [first] = line.positionals;
  const isPair = first === undefined ? kind.startsWith("network:") : /[:@]/u.test(first);
  if (!isPair || current.includes(":")) return [];
  return knownNetworks(context).map(({ word, ...rest }) => ({ word: `${word}:`, ...rest }));
}

function ofSetting(
  context: Pick<Context, "env" | "platform">,
  { words }: CatalogueEntry,
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
