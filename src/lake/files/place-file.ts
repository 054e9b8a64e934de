import { createHash } from "node:crypto";
import path from "node:path";
import { showSeconds } from "../../base/time/time.ts";
import type { Context } from "../../base/context/context.ts";
import { folderBelow } from "../../base/files/folder-below.ts";
import { type FolderLock, identityOf, keepCopy, publish } from "../../base/files/publish.ts";
import { removeOwn } from "../../base/files/synced-file.ts";
import type { LakeFileState } from "./stored-periods.ts";
import type { WrittenPart } from "./lake-file.ts";
import { fileNameOf } from "../layout.ts";

/** What it takes to change a directory. */
export interface Keeper {
  readonly context: Pick<Context, "clock">;
  readonly root: string;
  readonly lock: FolderLock;
}

/** Where unfinished work is. */
export const workFolder = (root: string): string => path.join(root, ".dexdata", "work");

/** Parts carry the ID of the lock, so that a process that has lost it cannot write to another one's part. */
export function partIn({ root, lock }: Pick<Keeper, "root" | "lock">, name: string): string {
  return path.join(workFolder(root), `${nameOfWork(name)}.${lock.id}.part`);
}

/** Addresses may be too long to be a part of one name. */
export function nameOfWork(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Removes what a finished run no longer needs: names of this program's own form only. */
export function clearWork(root: string): void {
  removeOwn(
    folderBelow(root, ".dexdata", "work"),
    /^[\da-f]{16}\.(?:ndjson|ndjson\.resume|divided|[\da-f]+-\d+\.part)$/u,
  );
}

/** At any moment, the directory has exactly one file: the earlier one, or the new one. `folder` is relative to the root. */
export function placePart(
  keeper: Keeper,
  folder: string,
  { file, footer }: WrittenPart,
  before: LakeFileState | undefined,
): void {
  const { root, lock } = keeper;
  const whole = folderBelow(root, folder);
  const named = path.join(whole, fileNameOf(footer.state));
  const first = before?.file ?? named;
  publish(lock, file, first, before?.identity);
  if (first === named) return;
  if (identityOf(named) !== undefined) setAside(keeper, { file: named });
  publish(lock, first, named, undefined);
}

/** A damaged file may still have rows that exist nowhere else. */
export function setAside(keeper: Keeper, { file }: Pick<LakeFileState, "file">): void {
  publish(keeper.lock, file, replacedName(keeper, file), undefined);
}

/** Before a complete file loses rows. */
export function copyAside(keeper: Keeper, { file }: Pick<LakeFileState, "file">): void {
  keepCopy(keeper.lock, file, replacedName(keeper, file));
}

/** A new name below `.dexdata/replaced`, in the same place there as the file has in the directory. */
function replacedName({ context, root }: Keeper, file: string): string {
  const at = showSeconds(context.clock.now() / 1000);
  const place = path.relative(root, file);
  // A file behind a link is not ours to move.
  folderBelow(root, path.dirname(place));
  for (let count = 1; ; count += 1) {
    const time = at.replaceAll(":", "") + (count === 1 ? "" : `-${count}`);
    const folder = folderBelow(root, ".dexdata", "replaced", time, path.dirname(place));
    const name = path.join(folder, path.basename(file));
    if (identityOf(name) === undefined) return name;
  }
}
