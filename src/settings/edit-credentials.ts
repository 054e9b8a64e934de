import { chmodSync, existsSync, renameSync, statSync } from "node:fs";
import type { Context } from "../context/context.ts";
import { usageFailure } from "../contract/failure.ts";
import { checkKeyForm, withoutSecrets } from "../contract/key.ts";
import type { Tier } from "../contract/tier.ts";
import { formatInstant } from "../time/time.ts";
import {
  type Credentials,
  credentialsPath,
  defaultProfile,
  hashOf,
  type Profile,
  toCredentials,
} from "./credentials.ts";
import { checkProfileName } from "./setting.ts";
import { updateJsonFile, type Writing } from "../files/update-json-file.ts";

type Editing = Writing & Pick<Context, "env">;

/**
 * Stores a key; it becomes the active one where no active one is stored. A store that cannot be read is refused,
 * or, once the user has been told, moved aside: then the result names where it is kept.
 */
export async function saveProfile(
  context: Editing,
  name: string,
  secret: Omit<Profile, "savedAt">,
  options: { readonly replaceBroken?: boolean } = {},
): Promise<{ readonly backup: string | undefined }> {
  const checked = checkProfileName(name);
  if ("problem" in checked) throw usageFailure(`--profile "${withoutSecrets(name)}": ${checked.problem}`);
  const refused = checkKeyForm(secret.key);
  if (refused !== undefined) throw usageFailure(`the key ${refused.problem}`, refused.next);
  const savedAt = formatInstant({ seconds: Math.floor(context.clock.now() / 1000), fraction: "" });
  let backup: string | undefined;
  await edit(context, (current) => {
    if (current.problem !== undefined) {
      if (options.replaceBroken !== true) throw brokenStore(current.problem);
      backup ??= moveAside(current.path);
    }
    const profiles = new Map(current.profiles).set(name, { ...secret, savedAt });
    return { ...current, profiles, active: profiles.has(current.active) ? current.active : name };
  });
  return { backup };
}

/** Whether it was stored. What was remembered of its key goes with it; no other profile becomes active. */
export async function removeProfile(context: Editing, name: string): Promise<boolean> {
  let wasStored = false;
  await edit(context, (current) => {
    if (current.problem !== undefined) throw brokenStore(current.problem);
    const profiles = new Map(current.profiles);
    const removed = profiles.get(name);
    wasStored = profiles.delete(name);
    if (removed === undefined) return undefined;
    const remembered = new Map(current.remembered);
    remembered.delete(hashOf(removed.key));
    return { ...current, profiles, remembered };
  });
  return wasStored;
}

/** The names of those that were stored. What was remembered of other keys stays: it is no key. */
export async function removeAllProfiles(context: Editing): Promise<readonly string[]> {
  let names: readonly string[] = [];
  await edit(context, (current) => {
    if (current.problem !== undefined) throw brokenStore(current.problem);
    names = [...current.profiles.keys()];
    if (names.length === 0) return undefined;
    const remembered = new Map(current.remembered);
    for (const { key } of current.profiles.values()) remembered.delete(hashOf(key));
    return { ...current, active: defaultProfile, profiles: new Map(), remembered };
  });
  return names;
}

/** Makes a stored profile the one that is used where none is named. */
export async function switchProfile(context: Editing, name: string): Promise<Profile> {
  let chosen: Profile | undefined;
  await edit(context, (current) => {
    if (current.problem !== undefined) throw brokenStore(current.problem);
    chosen = current.profiles.get(name);
    if (chosen !== undefined) return { ...current, active: name };
    const stored = [...current.profiles.keys()].join(", ");
    throw usageFailure(
      `profile "${withoutSecrets(name)}" is not stored; ${stored === "" ? "none is" : `stored: ${stored}`}`,
      storeOne,
    );
  });
  if (chosen === undefined) throw usageFailure(`profile "${withoutSecrets(name)}" is not stored`, storeOne);
  return chosen;
}

const storeOne = "store one with: dexdata auth login --profile <name>";

/** For a key that is not stored here: its hash is, so that the service need not be asked again. */
export async function rememberTier(context: Editing, key: string, tier: Tier): Promise<void> {
  await edit(context, (current) => {
    if (current.problem !== undefined) throw brokenStore(current.problem);
    return { ...current, remembered: new Map(current.remembered).set(hashOf(key), tier) };
  });
}

async function edit(
  context: Editing,
  change: (current: Credentials) => Credentials | undefined,
): Promise<void> {
  const file = credentialsPath(context);
  await updateJsonFile(context, file, (content) => {
    const changed = change(toCredentials(file, content));
    if (changed === undefined) return undefined;
    return {
      version: 1,
      active: changed.active,
      profiles: Object.fromEntries([...changed.profiles].map(([name, profile]) => [name, written(profile)])),
      remembered: Object.fromEntries(changed.remembered),
    };
  });
}

function written({ key, tier, savedAt, rest, streaming }: Profile): Readonly<Record<string, string>> {
  return {
    key,
    tier,
    saved_at: savedAt,
    ...(rest !== undefined && { rest_url: rest }),
    ...(streaming !== undefined && { streaming_url: streaming }),
  };
}

function brokenStore(problem: string): Error {
  return usageFailure(problem, "dexdata auth login stores a key anew and keeps the old file beside it");
}

/** It may hold a key that only an editor's slip made unreadable. An earlier one is not overwritten. */
function moveAside(file: string): string {
  let backup = `${file}.bak`;
  for (let count = 2; existsSync(backup); count += 1) backup = `${file}.bak${count}`;
  renameSync(file, backup);
  try {
    if (statSync(backup).isFile()) chmodSync(backup, 0o600);
  } catch {
    // Somebody else's file, or a link to nothing: it is out of the way, which is what was wanted.
  }
  return backup;
}
