import { createHash } from "node:crypto";
import path from "node:path";
import type { Context } from "../../base/context/context.ts";
import { isTier, type Tier } from "../../api/tier.ts";
import { checkHost } from "../../api/host.ts";
import { findFolders } from "../folders.ts";
import { type JsonFile, readJsonFile } from "../../base/files/json-file.ts";
import { isObject } from "../../base/json/json-scan.ts";
import { quoted } from "../../base/text/words.ts";
import { checkProfileName } from "../../client/settings.ts";

/** The plan that the service last reported for a key. */
export interface KnownPlan {
  readonly tier: Tier;
  /** When the service reported it, in RFC 3339; empty if unknown, which is older than any time. */
  readonly planAt: string;
}

export interface Profile extends KnownPlan {
  readonly key: string;
  /** RFC 3339. */
  readonly savedAt: string;
  /** The hosts that accepted the key when it was stored. An environment variable alone cannot add others. */
  readonly rest?: string | undefined;
  readonly streaming?: string | undefined;
}

export interface Credentials {
  readonly path: string;
  /** The default profile. It may not exist. */
  readonly active: string;
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Maps the SHA-256 hash (in hexadecimal) of a key that is not stored here to its plan. */
  readonly remembered: ReadonlyMap<string, KnownPlan>;
  /** If this is set, there are no profiles. */
  readonly problem?: string;
  /** A warning that other users can read the file. */
  readonly exposure?: string;
}

export const defaultProfile = "default";

export function credentialsPath(context: Pick<Context, "env" | "platform">): string {
  return path.join(findFolders(context).config, "credentials.json");
}

export function readCredentials(context: Pick<Context, "env" | "platform">): Credentials {
  const file = credentialsPath(context);
  const content = readJsonFile(file);
  const credentials = toCredentials(file, content);
  const isExposed = content.state === "read" && (content.mode & 0o077) !== 0 && context.platform !== "win32";
  return isExposed ? { ...credentials, exposure: exposureOf(file) } : credentials;
}

export function exposureOf(file: string): string {
  return `other users can read the key in ${file}; run: chmod 600 ${quoted(file)}`;
}

/** For messages about an unknown profile. */
export function storedNames({ profiles }: Credentials): string {
  return profiles.size === 0 ? "no profile is stored" : `stored: ${[...profiles.keys()].join(", ")}`;
}

export const addProfile = "add one: dexdata auth login --profile <name>";

/** All that is known about a key, newest first, even if the key now comes from a different source. */
export function plansIn(credentials: Credentials, key: string): readonly KnownPlan[] {
  const stored = [...credentials.profiles.values()].filter((profile) => profile.key === key);
  const remembered = credentials.remembered.get(hashOf(key));
  const known: readonly KnownPlan[] = remembered === undefined ? stored : [...stored, remembered];
  return known.toSorted((one, other) => (one.planAt < other.planAt ? 1 : one.planAt > other.planAt ? -1 : 0));
}

/** Stored instead of the key. Keys are too random to be guessed from their hashes. */
export function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

export function toCredentials(file: string, content: JsonFile): Credentials {
  const none = { path: file, active: defaultProfile, profiles: new Map(), remembered: new Map() };
  if (content.state === "absent") return none;
  if ("problem" in content) return { ...none, problem: content.problem };
  const { version, active, profiles, remembered } = content.object;
  if (version !== 1) return { ...none, problem: `${file} has an unsupported format version` };
  const readable = readEntries(profiles, readProfile);
  const plansByHash = readEntries(remembered, readPlan);
  if (readable === undefined || plansByHash === undefined || typeof active !== "string") {
    return { ...none, problem: `${file} is not a valid credentials file` };
  }
  return { path: file, active, profiles: readable, remembered: plansByHash };
}

/** Files of earlier versions contain only the tier. */
function readPlan(value: unknown): KnownPlan | undefined {
  const { tier, plan_at: planAt = "" } = isObject(value) ? value : { tier: value };
  return typeof tier === "string" && isTier(tier) && typeof planAt === "string"
    ? { tier, planAt }
    : undefined;
}

function readProfile(value: unknown, name: string): Profile | undefined {
  if ("problem" in checkProfileName(name) || !isObject(value)) return undefined;
  const { key, saved_at: savedAt, rest_url: rest, streaming_url: streaming } = value;
  const plan = readPlan({ ...value, plan_at: value["plan_at"] ?? savedAt });
  if (plan === undefined || typeof key !== "string" || typeof savedAt !== "string") return undefined;
  if (!isHostOrAbsent(rest) || !isHostOrAbsent(streaming)) return undefined;
  return { key, ...plan, savedAt, rest, streaming };
}

function isHostOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === "string" && typeof checkHost(value) === "string");
}

/** Returns undefined if an entry is invalid, because the next write would otherwise lose the invalid entries. */
function readEntries<T>(
  value: unknown,
  read: (entry: unknown, name: string) => T | undefined,
): ReadonlyMap<string, T> | undefined {
  if (!isObject(value)) return undefined;
  const entries = new Map<string, T>();
  for (const [name, entry] of Object.entries(value)) {
    const result = read(entry, name);
    if (result === undefined) return undefined;
    entries.set(name, result);
  }
  return entries;
}
