import type { Context } from "../../base/context/context.ts";
import { type Failure, usageFailure } from "../../base/failure.ts";
import { checkKeyForm, MAX_KEY_BYTES, withoutSecrets } from "../../base/key.ts";
import { type Plan, plans, type Tier } from "../../api/tier.ts";
import { cannotBeRead } from "../../base/files/file-errors.ts";
import { readBounded } from "../../base/files/bounded-read.ts";
import {
  addProfile,
  type Credentials,
  exposureOf,
  plansIn,
  type Profile,
  readCredentials,
  storedNames,
} from "./credentials.ts";
import type { Settings, Sourced } from "../../client/settings.ts";
import { checkPlanHost, isSameHost, isServiceHost } from "../../client/target.ts";

export interface FoundKey {
  /** Looks like an API key, but may be invalid. */
  readonly key: string;
  /** Follows `the key from `: `DEXDATA_API_KEY`, `--key-file <path>` or `profile "work"`. */
  readonly source: string;
  /** If undefined, dexdata does not guess a host. */
  readonly tier: Tier | undefined;
  /** The command that looks up the plan of this key; undefined for `dexdata auth status` without flags. */
  readonly lookUp: string | undefined;
  /** Set for a stored key, which is sent only to the hosts that are stored with it. */
  readonly kept: KeptFor | undefined;
}

/** Empty if the key comes from a command. */
type KeptFor = Pick<Profile, "rest" | "streaming">;

interface KeySearch {
  /** Undefined means that the run is keyless. */
  readonly found: FoundKey | undefined;
  /** The run continues after these warnings. */
  readonly warnings: readonly string[];
}

export interface KeyFlags {
  readonly keyFile?: string | undefined;
  readonly profile?: string | undefined;
}

/**
 * The sources, in order of precedence: `--key-file` or `--profile`, `DEXDATA_API_KEY`, the profile named by
 * `DEXDATA_PROFILE`, `key_command` in config.json, `profile` in config.json, and the active profile. Apart from the
 * flags, command-line.md specifies this order. The key command runs only here and only once per run.
 */
export async function findKey(context: Context, flags: KeyFlags, settings: Settings): Promise<KeySearch> {
  if (flags.keyFile !== undefined && flags.profile !== undefined) {
    throw usageFailure("--key-file and --profile cannot be used together", "use one of them");
  }
  const credentials = readCredentials(context);
  const source = chooseSource(context, flags, settings, credentials);
  const { value, where } = settings.tier;
  if (value === "keyless") {
    const name = source?.name;
    const warnings = name === undefined ? [] : [`${where} is keyless, so the key from ${name} is not sent`];
    return { found: undefined, warnings };
  }
  if (source === undefined) return { found: undefined, warnings: storeWarnings(credentials) };
  return await source.read();
}

interface KeySource {
  /** As a warning names it; undefined for a profile that is not stored. */
  readonly name: string | undefined;
  readonly read: () => KeySearch | Promise<KeySearch>;
}

/** In the order of findKey(). */
function chooseSource(
  context: Context,
  { keyFile: file, profile: flag }: KeyFlags,
  settings: Settings,
  credentials: Credentials,
): KeySource | undefined {
  const accept = (key: string, source: string, words = "", own?: Tier): FoundKey => {
    const refused = checkKeyForm(key);
    if (refused !== undefined) throw usageFailure(`the key from ${source} ${refused.problem}`, refused.next);
    const tier = settings.tier.value ?? own ?? plansIn(credentials, key)[0]?.tier;
    const lookUp = words === "" ? undefined : `dexdata auth status${words}`;
    return { key, source, tier, lookUp, kept: undefined };
  };
  const ofProfile = (name: string, where: string): KeySource => {
    const profile = credentials.profiles.get(name);
    const read = (): KeySearch => {
      if (profile === undefined) throw unknownProfile(credentials, name, where);
      const { key, tier, rest, streaming } = profile;
      const words = where === "--profile" ? ` --profile ${name}` : "";
      const found = { ...accept(key, `profile "${name}"`, words, tier), kept: { rest, streaming } };
      return { found, warnings: storeWarnings(credentials) };
    };
    return { name: profile && `profile "${name}"`, read };
  };
  const ofFile = async (typed: string): Promise<KeySearch> => {
    const { text, warning } = await readKeyFile(context, typed);
    const shown = withoutSecrets(typed);
    const words = ` --key-file ${/^[\w./+-]+$/u.test(shown) ? shown : "<file>"}`;
    const found = accept(text, `--key-file ${shown}`, words);
    return { found, warnings: warning === undefined ? [] : [warning] };
  };
  const ofCommand = async (command: readonly string[]): Promise<KeySearch> => {
    const key = await printedKey(context, settings, command);
    return { found: { ...accept(key, "key_command"), kept: {} }, warnings: [] };
  };
  if (file !== undefined) return { name: "--key-file", read: async () => await ofFile(file) };
  if (flag !== undefined) return ofProfile(flag, "--profile");
  // An empty variable counts as unset.
  const key = context.env["DEXDATA_API_KEY"] ?? "";
  if (key !== "") {
    const name = "DEXDATA_API_KEY";
    return { name, read: () => ({ found: accept(key, name), warnings: [] }) };
  }
  const { value: named, where, source } = settings.profile;
  // The program runs only to read the key, because it may prompt for a passphrase.
  const command = source === "environment" ? undefined : settings.key_command.value;
  if (command !== undefined) return { name: "key_command", read: async () => await ofCommand(command) };
  if (named !== undefined) return ofProfile(named, where);
  return credentials.profiles.has(credentials.active) ? ofProfile(credentials.active, "profile") : undefined;
}

/** Runs that look for the key twice, such as `doctor`, must not prompt for a passphrase twice. */
const answers = new WeakMap<Settings, Promise<string>>();

async function printedKey(context: Context, settings: Settings, words: readonly string[]): Promise<string> {
  const { runKeyCommand } = await import("./run-key-command.ts");
  const printed = answers.get(settings) ?? runKeyCommand(context, words, settings.key_command.where);
  answers.set(settings, printed);
  return await printed;
}

/** The user named the profile, so continuing without a key or with a different one would be wrong. */
function unknownProfile(credentials: Credentials, name: string, where: string): Failure {
  const shown = withoutSecrets(name);
  if (credentials.problem !== undefined) {
    return usageFailure(
      `${where} "${shown}": ${credentials.problem}`,
      "store the key again: dexdata auth login",
    );
  }
  return usageFailure(`${where} "${shown}": unknown profile; ${storedNames(credentials)}`, addProfile);
}

function storeWarnings({ problem, exposure }: Credentials): readonly string[] {
  const ignored = problem && `${problem}; continuing without a stored key`;
  return [exposure, ignored].filter((warning) => warning !== undefined);
}

/** Removes the line break that editors add at the end. */
export async function readKeyFile(
  { platform, signal }: Pick<Context, "platform" | "signal">,
  file: string,
): Promise<{ readonly text: string; readonly warning: string | undefined }> {
  const label = `--key-file "${withoutSecrets(file)}"`;
  const { bytes, stat } = await readBounded(file, MAX_KEY_BYTES, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    // The system's message is not used, because it quotes the path, and the user may have typed the key in its place.
    const next = /api_/iu.test(file)
      ? "--key-file takes a file path, not a key; to store a key, run: dexdata auth login"
      : keyAlone;
    throw usageFailure(`${label}: ${cannotBeRead(cause)}`, next);
  });
  if (bytes.length > MAX_KEY_BYTES) throw usageFailure(`${label}: must contain only a key`, keyAlone);
  const isExposed = platform !== "win32" && stat.isFile() && (stat.mode & 0o077) !== 0;
  return {
    text: bytes.toString("utf8").replace(/\r?\n$/u, ""),
    warning: isExposed ? exposureOf(file) : undefined,
  };
}

const keyAlone = "name a file that contains only the key, or store the key: dexdata auth login";

/**
 * Throws if the key would be sent to the wrong host. A key passed for this run goes to this run's hosts. A stored key
 * goes only to the service's hosts, to those it was stored for, and to those that the user named (`--base-url`,
 * config.json). An environment variable is not sufficient, because it may come from a directory, a container or someone
 * else's script. Each of the service's hosts gets only keys for its own plans.
 */
export function checkKeyHosts(found: FoundKey, options: HostOptions): void {
  const { source, tier, lookUp = "dexdata auth status" } = found;
  // While the tier is unknown, requests are sent to both pairs of hosts.
  const used = tier === undefined ? (["free", "paid"] as const) : [plans[tier].hosts];
  for (const pair of used) {
    const { rest, streaming } = pairOf(options.settings, pair);
    if (tier !== undefined) {
      checkPlanHost(tier, source, options.baseUrl ?? rest.value, lookUp);
      checkPlanHost(tier, source, streaming.value, lookUp);
    }
    checkNamedHosts(found, pair, options);
  }
}

interface HostOptions {
  readonly settings: Settings;
  readonly baseUrl: string | undefined;
}

type Pair = Plan["hosts"];

/** Throws if the key would be sent to a host that only an environment variable names. */
export function checkNamedHosts({ source, kept }: FoundKey, pair: Pair, options: HostOptions): void {
  if (kept === undefined) return;
  const { rest, streaming } = pairOf(options.settings, pair);
  if (options.baseUrl === undefined) checkNamed(source, kept.rest, rest);
  checkNamed(source, kept.streaming, streaming);
}

/** The settings of the hosts for free or paid plans. */
export function pairOf(settings: Settings, pair: Pair) {
  return pair === "free"
    ? { rest: settings.base_url, streaming: settings.streaming_url }
    : { rest: settings.pro_base_url, streaming: settings.streaming_pro_url };
}

function checkNamed(source: string, storedFor: string | undefined, named: Sourced<string>): void {
  const asked = named.value;
  if (named.source !== "environment") return;
  if (isServiceHost(asked) || (storedFor !== undefined && isSameHost(storedFor, asked))) return;
  // For example, the variable `DEXDATA_PRO_BASE_URL` sets `pro_base_url`.
  const setting = named.where.replace(/^DEXDATA_/u, "").toLowerCase();
  throw usageFailure(
    `the key from ${source} was not sent, because it is not stored for ${asked} (set by ${named.where})`,
    `to use this host, pass a key with DEXDATA_API_KEY or --key-file, or run: dexdata config set ${setting} ${asked}`,
  );
}
