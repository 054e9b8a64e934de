import type { Context } from "../model/context.ts";
import { type Failure, usageFailure } from "../model/failure.ts";
import { checkKeyForm, withoutSecrets } from "../model/key.ts";
import type { Tier } from "../model/tier.ts";
import { type Credentials, readCredentials, tierIn } from "./credentials.ts";
import { readKeyFile } from "./read-key-file.ts";
import { readSettings, type Settings } from "./settings.ts";

export interface FoundKey {
  /** Has the form of a key. */
  readonly key: string;
  /** Goes after `the key from `: `DEXDATA_API_KEY`, `--key-file <path>`, `profile "work"`. */
  readonly source: string;
  /** Undefined when nothing says it; no host is guessed then. */
  readonly tier: Tier | undefined;
}

export interface KeySearch {
  /** Undefined: keyless. */
  readonly found: FoundKey | undefined;
  /** For stderr; the run goes on. */
  readonly warnings: readonly string[];
}

/** What was typed as flags in this command, and only that. */
export interface KeyFlags {
  readonly keyFile?: string | undefined;
  readonly profile?: string | undefined;
}

/**
 * The key of this run. A flag wins over the environment, as with every other setting, since it was typed now:
 * `--key-file` or `--profile`, then `DEXDATA_API_KEY`, then the profile that `DEXDATA_PROFILE` or config.json names,
 * then the active one. (Among what is not typed, this is the order of command-line.md.)
 */
export function findKey(
  context: Pick<Context, "env" | "platform">,
  flags: KeyFlags,
  settings: Settings = readSettings(context),
): KeySearch {
  if (flags.keyFile !== undefined && flags.profile !== undefined) {
    throw usageFailure("--key-file and --profile each name a key", "give one of them");
  }
  const credentials = readCredentials(context);
  const search = { context, settings, credentials };
  if (flags.keyFile !== undefined) return keyOfFile(search, flags.keyFile);
  if (flags.profile !== undefined) return keyOfProfile(search, flags.profile, "--profile");
  const typed = context.env["DEXDATA_API_KEY"];
  // Empty counts as unset, as with every variable of ours.
  if (typed !== undefined && typed !== "") {
    return { found: accept(search, typed, "DEXDATA_API_KEY"), warnings: [] };
  }
  const { value: named, where } = settings.profile;
  if (named !== undefined) return keyOfProfile(search, named, where);
  const active = credentials.profiles.get(credentials.active);
  const found =
    active === undefined ? undefined : accept(search, active.key, `profile "${credentials.active}"`);
  return { found, warnings: storeWarnings(credentials) };
}

interface Search {
  readonly context: Pick<Context, "env" | "platform">;
  readonly settings: Settings;
  readonly credentials: Credentials;
}

function keyOfFile(search: Search, file: string): KeySearch {
  const { text, warning } = readKeyFile(file, search.context.platform);
  const found = accept(search, text, `--key-file ${withoutSecrets(file)}`);
  return { found, warnings: warning === undefined ? [] : [warning] };
}

function keyOfProfile(search: Search, name: string, where: string): KeySearch {
  const { credentials } = search;
  const profile = credentials.profiles.get(name);
  if (profile === undefined) throw unknownProfile(credentials, name, where);
  const found = accept(search, profile.key, `profile "${name}"`);
  return { found, warnings: storeWarnings(credentials) };
}

function accept(search: Search, key: string, source: string): FoundKey {
  const refused = checkKeyForm(key);
  if (refused !== undefined) throw usageFailure(`the key from ${source} ${refused.problem}`, refused.next);
  return { key, source, tier: search.settings.tier.value ?? tierIn(search.credentials, key) };
}

/** A profile that was asked for by name: going on keyless, or as somebody else, would not be what was meant. */
function unknownProfile(credentials: Credentials, name: string, where: string): Failure {
  const shown = withoutSecrets(name);
  if (credentials.problem !== undefined) {
    return usageFailure(
      `${where} "${shown}": ${credentials.problem}`,
      "store the key again: dexdata auth login",
    );
  }
  const stored = [...credentials.profiles.keys()];
  return usageFailure(
    `${where} "${shown}": no such profile; ${stored.length === 0 ? "none is stored" : `stored: ${stored.join(", ")}`}`,
    "store one with: dexdata auth login --profile <name>",
  );
}

function storeWarnings({ problem, exposure }: Credentials): readonly string[] {
  const warnings = exposure === undefined ? [] : [exposure];
  return problem === undefined ? warnings : [...warnings, `${problem}; going on without a stored key`];
}
