import { chmodSync, existsSync, renameSync, statSync } from "node:fs";
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
import type { Changed } from "../files/update-json-file.ts";
import { type Editing, updateSettingsFile } from "./update-settings-file.ts";

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
  const mend = (file: string): void => {
    backup ??= moveAside(file);
  };
  await edit(
    context,
    (current) => {
      const profiles = new Map(current.profiles).set(name, { ...secret, savedAt });
      const active = profiles.has(current.active) ? current.active : name;
      return { after: { ...current, profiles, active }, result: undefined };
    },
    options.replaceBroken === true ? mend : undefined,
  );
  return { backup };
}

/** Whether it was stored. What was remembered of its key goes with it; no other profile becomes active. */
export async function removeProfile(context: Editing, name: string): Promise<boolean> {
  const removed = await removeThose(context, (each) => each === name);
  return removed.length > 0;
}

/** The names of those that were stored. What was remembered of other keys stays: it is no key. */
export async function removeAllProfiles(context: Editing): Promise<readonly string[]> {
  return await removeThose(context, () => true, defaultProfile);
}

async function removeThose(
  context: Editing,
  isOne: (name: string) => boolean,
  active?: string,
): Promise<readonly string[]> {
  return await edit(context, (current) => {
    const removed = [...current.profiles].filter(([name]) => isOne(name));
    const names = removed.map(([name]) => name);
    if (names.length === 0) return { after: undefined, result: names };
    const profiles = new Map(current.profiles);
    const remembered = new Map(current.remembered);
    for (const [name, { key }] of removed) {
      profiles.delete(name);
      remembered.delete(hashOf(key));
    }
    return { after: { ...current, profiles, remembered, active: active ?? current.active }, result: names };
  });
}

/** Makes a stored profile the one that is used where none is named. */
export async function switchProfile(context: Editing, name: string): Promise<Profile> {
  return await edit(context, (current) => {
    const chosen = current.profiles.get(name);
    if (chosen !== undefined) return { after: { ...current, active: name }, result: chosen };
    const stored = [...current.profiles.keys()].join(", ");
    throw usageFailure(
      `profile "${withoutSecrets(name)}" is not stored; ${stored === "" ? "none is" : `stored: ${stored}`}`,
      "store one with: dexdata auth login --profile <name>",
    );
  });
}

/** For a key that is not stored here: its hash is, so that the service need not be asked again. */
export async function rememberTier(context: Editing, key: string, tier: Tier): Promise<void> {
  await edit(context, (current) => ({
    after: { ...current, remembered: new Map(current.remembered).set(hashOf(key), tier) },
    result: undefined,
  }));
}

/** A store that cannot be read is refused, unless it is mended: then it counts as empty. */
async function edit<T>(
  context: Editing,
  change: (current: Credentials) => Changed<Credentials, T>,
  mend?: (file: string) => void,
): Promise<T> {
  const file = credentialsPath(context);
  return await updateSettingsFile(context, file, (content) => {
    const current = toCredentials(file, content);
    if (current.problem !== undefined) {
      if (mend === undefined)
        throw usageFailure(
          current.problem,
          "dexdata auth login stores a key anew and keeps the old file beside it",
        );
      mend(file);
    }
    const { after, result } = change(current);
    if (after === undefined) return { after, result };
    return {
      after: {
        version: 1,
        active: after.active,
        profiles: Object.fromEntries([...after.profiles].map(([name, profile]) => [name, written(profile)])),
        remembered: Object.fromEntries(after.remembered),
      },
      result,
    };
  });
}

function written({ key, tier, savedAt, rest, streaming }: Profile): object {
  return { key, tier, saved_at: savedAt, rest_url: rest, streaming_url: streaming };
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
