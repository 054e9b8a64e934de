import type { Context } from "../context/context.ts";
import { type Failure, usageFailure } from "../contract/failure.ts";
import { checkKeyForm, withoutSecrets } from "../contract/key.ts";
import type { Tier } from "../contract/tier.ts";
import { type Credentials, type Profile, readCredentials, tierIn } from "./credentials.ts";
import { readKeyFile } from "./read-key-file.ts";
import { readSettings } from "./read-settings.ts";
import type { Settings } from "./settings.ts";

export interface FoundKey {
  /** Has the form of a key. */
  readonly key: string;
  /** Goes after `the key from `: `DEXDATA_API_KEY`, `--key-file <path>`, `profile "work"`. */
  readonly source: string;
  /** Undefined when nothing says it; no host is guessed then. */
  readonly tier: Tier | undefined;
  /** Kept here for the user rather than handed over for this run; it goes to the hosts that are kept with it. */
  readonly kept?: KeptFor;
}

/** What the key store says of a kept key's hosts; nothing of what a command gives. */
export type KeptFor = Pick<Profile, "rest" | "streaming">;

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
 * `--key-file` or `--profile`, then `DEXDATA_API_KEY`, then the profile of `DEXDATA_PROFILE`, then in config.json
 * `key_command`, then `profile`, then the active profile. (Among what is not typed, this is the order of
 * command-line.md.) A command is run here and nowhere else, once a run.
 */
export async function findKey(
  context: Context,
  flags: KeyFlags,
  settings: Settings = readSettings(context),
): Promise<KeySearch> {
  const search = await lookUpKey(context, flags, settings);
  if (search.command === undefined) return search;
  const printed = answers.get(settings) ?? run(context, search.command);
  answers.set(settings, printed);
  return { found: search.command.toFound(await printed), warnings: search.warnings };
}

/** Of a run that looks twice, as `doctor` does: its program may ask somebody for a passphrase. */
const answers = new WeakMap<Settings, Promise<string>>();

/** The same as far as files tell, or the program that will. */
interface LookedUp extends KeySearch {
  readonly command?: KeyCommand;
}

interface KeyCommand {
  readonly words: readonly string[];
  readonly where: string;
  readonly toFound: (key: string) => FoundKey;
}

async function run(context: Context, { words, where }: KeyCommand): Promise<string> {
  const { runKeyCommand } = await import("./run-key-command.ts");
  return await runKeyCommand(context, words, where);
}

async function lookUpKey(context: Context, flags: KeyFlags, settings: Settings): Promise<LookedUp> {
  if (flags.keyFile !== undefined && flags.profile !== undefined) {
    throw usageFailure("--key-file and --profile each name a key", "give one of them");
  }
  const credentials = readCredentials(context);
  const search = { context, settings, credentials };
  if (flags.keyFile !== undefined) return await keyOfFile(search, flags.keyFile);
  if (flags.profile !== undefined) return keyOfProfile(search, flags.profile, "--profile");
  const typed = context.env["DEXDATA_API_KEY"];
  // Empty counts as unset, as with every variable of ours.
  if (typed !== undefined && typed !== "") {
    return { found: accept(search, typed, "DEXDATA_API_KEY"), warnings: [] };
  }
  const { value: named, where, source } = settings.profile;
  if (named !== undefined && source === "environment") return keyOfProfile(search, named, where);
  if (settings.key_command.value !== undefined) {
    const { value: words, where: command } = settings.key_command;
    return {
      found: undefined,
      warnings: [],
      command: {
        words,
        where: command,
        toFound: (key) => ({ ...accept(search, key, "key_command"), kept: {} }),
      },
    };
  }
  if (named !== undefined) return keyOfProfile(search, named, where);
  const isStored = credentials.profiles.has(credentials.active);
  return isStored
    ? keyOfProfile(search, credentials.active, "profile")
    : { found: undefined, warnings: storeWarnings(credentials) };
}

interface Search {
  readonly context: Context;
  readonly settings: Settings;
  readonly credentials: Credentials;
}

async function keyOfFile(search: Search, file: string): Promise<KeySearch> {
  const { text, warning } = await readKeyFile(search.context, file);
  const found = accept(search, text, `--key-file ${withoutSecrets(file)}`);
  return { found, warnings: warning === undefined ? [] : [warning] };
}

function keyOfProfile(search: Search, name: string, where: string): KeySearch {
  const { credentials } = search;
  const profile = credentials.profiles.get(name);
  if (profile === undefined) throw unknownProfile(credentials, name, where);
  const { key, rest, streaming } = profile;
  const found = { ...accept(search, key, `profile "${name}"`), kept: { rest, streaming } };
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
