import { chmodSync, existsSync, renameSync, rmSync, statSync } from "node:fs";
import { showSeconds } from "../../base/time/time.ts";
import { usageFailure } from "../../base/failure.ts";
import { checkKeyForm, withoutSecrets } from "../../base/key.ts";
import type { Tier } from "../../api/tier.ts";
import {
  addProfile,
  type Credentials,
  credentialsPath,
  defaultProfile,
  hashOf,
  type KnownPlan,
  type Profile,
  storedNames,
  toCredentials,
} from "./credentials.ts";
import { checkProfileName } from "../../client/settings.ts";
import type { Changed } from "../../base/files/json-file.ts";
import { quoted } from "../../base/text/words.ts";
import { type Editing, findKeyCopies, updateSettingsFile } from "./update-settings-file.ts";

/**
 * The key becomes active if the file lacks the active profile. If the file is unreadable, the key is rejected unless
 * the user has been warned. In that case, the file is renamed, and the result contains the backup's path.
 */
export async function saveProfile(
  context: Editing,
  name: string,
  secret: Omit<Profile, "savedAt" | "planAt">,
  options: { readonly replaceBroken?: boolean } = {},
): Promise<{ readonly backup: string | undefined }> {
  const checked = checkProfileName(name);
  if ("problem" in checked) throw usageFailure(`--profile "${withoutSecrets(name)}": ${checked.problem}`);
  const refused = checkKeyForm(secret.key);
  if (refused !== undefined) throw usageFailure(`the key ${refused.problem}`, refused.next);
  const savedAt = showSeconds(context.clock.now() / 1000);
  let backup: string | undefined;
  const onBroken = (file: string): void => {
    backup ??= moveAside(file);
  };
  const change = (current: Credentials): Changed<Credentials, undefined> => {
    const profiles = new Map(current.profiles).set(name, { ...secret, planAt: savedAt, savedAt });
    const active = profiles.has(current.active) ? current.active : name;
    const { key, tier, ...hosts } = secret;
    const after = withPlan({ ...current, profiles, active }, key, { tier, planAt: savedAt }, hosts);
    return { after, result: undefined };
  };
  await edit(context, change, options.replaceBroken === true ? onBroken : rejectBroken);
  return { backup };
}

/**
 * Without a name, removes all profiles and the backups. Remembered tiers for other keys remain, because they do not
 * contain keys. No other profile becomes active.
 */
export async function removeProfile(context: Editing, only: string | undefined) {
  // A login that was killed may have left a staged file with a key even if none is stored.
  const { names, stages } = await edit(
    context,
    (current, staged) => {
      const removed = [...current.profiles].filter(([name]) => only === undefined || name === only);
      const result = { names: removed.map(([name]) => name), stages: staged };
      if (removed.length === 0) return { after: undefined, result };
      const [profiles, remembered] = [new Map(current.profiles), new Map(current.remembered)];
      for (const [name, { key }] of removed) {
        profiles.delete(name);
        remembered.delete(hashOf(key));
      }
      const active = only === undefined ? defaultProfile : current.active;
      return { after: { ...current, profiles, remembered, active }, result };
    },
    // A damaged file is not removed, because it may contain keys that the user still needs.
    (file, problem) => {
      throw usageFailure(`${problem}, and it may contain keys`, `to remove it, run: rm ${quoted(file)}`);
    },
  );
  const { backups, others } = findKeyCopies(credentialsPath(context));
  const kept = backups.filter((backup) => only !== undefined || !isRemoved(backup));
  const removed = backups.filter((backup) => !kept.includes(backup));
  return {
    /** The names of the profiles that were removed. */
    profiles: names,
    /** Other files that were removed because they may have contained a key. */
    files: [...stages, ...removed],
    /** Files that remain, and may contain a key. */
    left: [...kept, ...others],
  };
}

/** Another user may own the backup. It is then named, and remains. */
function isRemoved(file: string): boolean {
  try {
    rmSync(file, { force: true });
    return true;
  } catch {
    return false;
  }
}

export async function switchProfile(context: Editing, name: string): Promise<Profile> {
  return await edit(context, (current) => {
    const chosen = current.profiles.get(name);
    if (chosen !== undefined) return { after: { ...current, active: name }, result: chosen };
    throw usageFailure(`unknown profile "${withoutSecrets(name)}"; ${storedNames(current)}`, addProfile);
  });
}

/**
 * Saves the plan that the service reported for a key: in each profile with this key, with the hosts that accepted it, or
 * else under the key's hash.
 */
export async function savePlan(
  context: Editing,
  key: string,
  tier: Tier,
  hosts: Pick<Profile, "rest" | "streaming"> = {},
): Promise<void> {
  const plan = { tier, planAt: showSeconds(context.clock.now() / 1000) };
  await edit(context, (current) => ({ after: withPlan(current, key, plan, hosts), result: undefined }));
}

function withPlan(
  current: Credentials,
  key: string,
  plan: KnownPlan,
  hosts: Pick<Profile, "rest" | "streaming">,
): Credentials {
  const profiles = new Map(current.profiles);
  const remembered = new Map(current.remembered).set(hashOf(key), plan);
  for (const [name, profile] of current.profiles) {
    if (profile.key !== key) continue;
    profiles.set(name, { ...profile, ...plan, ...hosts });
    remembered.delete(hashOf(key));
  }
  return { ...current, profiles, remembered };
}

function rejectBroken(_: string, problem: string): never {
  throw usageFailure(problem, "to move the file aside and store a key again, run: dexdata auth login");
}

/** `onBroken` renames an unreadable file, which then counts as empty, or throws. */
async function edit<T>(
  context: Editing,
  change: (current: Credentials, stages: readonly string[]) => Changed<Credentials, T>,
  onBroken: (file: string, problem: string) => void = rejectBroken,
): Promise<T> {
  const file = credentialsPath(context);
  return await updateSettingsFile(context, file, (content, stages) => {
    const current = toCredentials(file, content);
    if (current.problem !== undefined) onBroken(file, current.problem);
    const { after, result } = change(current, stages);
    return { after: after && written(after), result };
  });
}

function written({ active, profiles, remembered }: Credentials) {
  return {
    version: 1,
    active,
    profiles: Object.fromEntries([...profiles].map(([name, profile]) => [name, writtenProfile(profile)])),
    remembered: Object.fromEntries(
      [...remembered].map(([hash, { tier, planAt }]) => [hash, { tier, plan_at: planAt }]),
    ),
  };
}

function writtenProfile({ key, tier, planAt, savedAt, rest, streaming }: Profile): object {
  const plan_at = planAt === savedAt ? undefined : planAt;
  return { key, tier, plan_at, saved_at: savedAt, rest_url: rest, streaming_url: streaming };
}

/** A small editing mistake may have made a key unreadable. Earlier backups are not overwritten. */
function moveAside(file: string): string {
  let backup = `${file}.bak`;
  for (let count = 2; existsSync(backup); count += 1) backup = `${file}.bak${count}`;
  renameSync(file, backup);
  try {
    if (statSync(backup).isFile()) chmodSync(backup, 0o600);
  } catch {
    // The backup belongs to another user or is a dangling link. The rename succeeded, and that is enough.
  }
  return backup;
}
