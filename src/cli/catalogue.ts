import { endpoints } from "../contract/endpoints/all.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { localCommands } from "./commands/local-commands.ts";
import { costOf, planOf } from "./command-cost.ts";
import { endpointFlags } from "./flags/endpoint-flags.ts";
import type { Flag } from "./flags/flags.ts";
import { globalFlags } from "./flags/global-flags.ts";
import type { Block } from "./help/page.ts";
import { type Section, sharedFlags } from "./local-command.ts";
import { commandGroups, positionals } from "./asking/positionals.ts";

/** One command as a person, a shell or a program sees it. */
export interface CatalogueEntry {
  /** `pools search` */
  readonly words: string;
  readonly positionals: string;
  /** What the first of them may be, where that is a fixed set. */
  readonly choices: readonly string[];
  readonly summary: string;
  readonly section: Section;
  readonly examples: readonly string[];
  /** Its own, then those that it shares with others. */
  readonly flags: readonly Flag[];
  /** How many of the flags are its own. */
  readonly ownFlags: number;
  /** What a run costs; undefined where it sends nothing. */
  readonly credits: string | undefined;
  readonly plan: string;
  readonly notes: () => readonly Block[];
  /** Those of the service that it asks; empty for a command of ours. */
  readonly endpoints: readonly Endpoint[];
}

/** Every command with every flag it takes, in the order of help. */
export function catalogue(): readonly CatalogueEntry[] {
  const ofService = commandGroups(endpoints).map((group): CatalogueEntry => {
    const own = endpointFlags(group);
    return {
      words: group[0]?.command ?? "",
      positionals: positionals(group)
        .map(({ shown }) => shown)
        .join(" "),
      choices: [],
      summary: group[0]?.summary ?? "",
      section: "Ask",
      examples: group[0]?.examples ?? [],
      flags: [...own, ...globalFlags],
      ownFlags: own.length,
      credits: costOf(group),
      plan: planOf(group),
      notes: () => [],
      endpoints: group,
    };
  });
  const ours = localCommands.map((command): CatalogueEntry => ({
    words: command.words,
    positionals: command.positionals,
    choices: command.choices ?? [],
    summary: command.summary,
    section: command.section,
    examples: command.examples,
    flags: [...command.flags, ...sharedFlags(command)],
    ownFlags: command.flags.length,
    credits: command.credits,
    plan: command.plan ?? "any, also without a key",
    notes: command.notes ?? (() => []),
    endpoints: [],
  }));
  return [...ofService, ...ours];
}
