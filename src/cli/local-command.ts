import type { Context } from "../model/context.ts";
import type { Flag, FlagValues } from "./flags/flags.ts";
import { globalFlags } from "./flags/global-flags.ts";

/** A command of ours that is no endpoint's: keys, settings, the sandbox, and asking by path. */
export interface LocalCommand {
  /** The words that ask for it: `auth login`. */
  readonly words: string;
  /** As help shows them: `<name> <value>`. */
  readonly positionals: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly flags: readonly Flag[];
  /** Names of the flags, among those that commands of the service share, that mean something here. */
  readonly shared: readonly string[];
  /** What help says below the flags. */
  readonly notes?: () => string;
  readonly run: (words: readonly string[], flags: FlagValues, context: Context) => Promise<number>;
}

export function sharedFlags(command: LocalCommand): readonly Flag[] {
  return globalFlags.filter(({ name }) => command.shared.includes(name));
}
