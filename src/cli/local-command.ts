import type { Context } from "../context/context.ts";
import type { LocalWords } from "./commands/command-words.ts";
import type { Flag, FlagValues } from "./flags/flags.ts";
import { globalFlags } from "./flags/global-flags.ts";
import type { Block } from "./help/page.ts";

/** Where the overview of all commands lists it. */
export type Section = "Ask" | "Follow" | "Set up" | "Learn";

/** A command of ours that is no endpoint's: keys, settings, the sandbox, and asking by path. */
export interface LocalCommand {
  /** The words that ask for it: `auth login`. */
  readonly words: LocalWords;
  /** As help shows them: `<name> <value>`. */
  readonly positionals: string;
  /** What its first positional may be, where that is a fixed set; completion offers it. */
  readonly choices?: readonly string[];
  readonly summary: string;
  readonly section: Section;
  readonly examples: readonly string[];
  readonly flags: readonly Flag[];
  /** Names of the flags, among those that commands of the service share, that mean something here. */
  readonly shared: readonly string[];
  /** What a run costs; nothing unless said. */
  readonly credits?: string;
  /** The plans that may run it; any unless said. */
  readonly plan?: string;
  /** What help says below the flags. */
  readonly notes?: () => readonly Block[];
  readonly run: (words: readonly string[], flags: FlagValues, context: Context) => Promise<number>;
}

export function sharedFlags(command: LocalCommand): readonly Flag[] {
  return globalFlags.filter(({ name }) => command.shared.includes(name));
}
