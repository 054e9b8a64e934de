import { endpoints } from "../endpoints/all.ts";
import { localCommands } from "./commands/local-commands.ts";
import { endpointFlags } from "./flags/endpoint-flags.ts";
import type { Flag } from "./flags/flags.ts";
import { globalFlags } from "./flags/global-flags.ts";
import { sharedFlags } from "./local-command.ts";
import { commandGroups, positionals } from "./asking/positionals.ts";

/** One command as a shell or a program sees it. */
export interface CatalogueEntry {
  /** `pools search` */
  readonly words: string;
  readonly positionals: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
}

/** Every command with every flag it takes, in the order of help. */
export function catalogue(): readonly CatalogueEntry[] {
  const ofService = commandGroups(endpoints).map((group) => ({
    words: group[0]?.command ?? "",
    positionals: positionals(group)
      .map(({ shown }) => shown)
      .join(" "),
    summary: group[0]?.summary ?? "",
    flags: [...endpointFlags(group), ...globalFlags],
  }));
  const ours = localCommands.map((command) => ({
    words: command.words,
    positionals: command.positionals,
    summary: command.summary,
    flags: [...command.flags, ...sharedFlags(command)],
  }));
  return [...ofService, ...ours];
}
