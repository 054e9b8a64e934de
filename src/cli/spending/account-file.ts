import { createHash } from "node:crypto";
import path from "node:path";
import type { Target } from "../../client/target.ts";
import type { Context } from "../../model/context.ts";
import { findFolders } from "../../settings/folders.ts";
import { removeUnused } from "../../settings/state-file.ts";

/** What the processes of this machine share for each service and key. */
type Use = "pace" | "budget";

/** One for each service and key (or none), named by a hash of both, from which nobody finds the key. */
export function accountFile(context: Context, use: Use, { rest, key }: Pick<Target, "rest" | "key">): string {
  const { origin, pathname } = new URL(rest);
  const service = `${origin}${pathname.replace(/\/+$/u, "")}`;
  const hash = createHash("sha256")
    .update(`${service}\n${key ?? ""}`)
    .digest("hex");
  return path.join(findFolders(context).state, `${use}-${hash.slice(0, 32)}.json`);
}

/** Sandboxes get a file for each port they ever had: to be called when a new one comes, so that the old ones go. */
export function removeUnusedAccounts(context: Context, use: Use): void {
  const names = new RegExp(`^${use}-[\\da-f]{32}\\.json(?:\\.\\d+\\.new)?$`, "u");
  removeUnused(findFolders(context).state, names, context.clock.now());
}
