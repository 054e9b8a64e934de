import { createHash } from "node:crypto";
import path from "node:path";
import type { Target } from "../../client/connection/target.ts";
import type { Context } from "../../context/context.ts";
import { stagingSuffix } from "../../files/staged-file.ts";
import { hashText, type TextHash } from "../../text/text-hash.ts";
import { findFolders } from "../../settings/folders.ts";
import { removeUnused } from "../../files/state-file.ts";

/** What the processes of this machine share for each service and key. */
type Use = "pace" | "budget";

/** One for each service and key (or none), named by a hash of both. */
export function accountFile(context: Context, use: Use, { rest, key }: Pick<Target, "rest" | "key">): string {
  const { origin, pathname } = new URL(rest);
  const service = `${origin}${pathname.replace(/\/+$/u, "")}`;
  const hash = key === undefined ? hashOfService(service) : hashOfBoth(service, key);
  return path.join(findFolders(context).state, `${use}-${hash}.json`);
}

/** One from which nobody finds the key. */
function hashOfBoth(service: string, key: string): string {
  return createHash("sha256").update(`${service}\n${key}`).digest("hex").slice(0, 32);
}

/** Nothing is secret here, and to load Node's crypto takes longer than all else of a short run that asks plain http. */
function hashOfService(service: string): string {
  const hash: TextHash = { high: 0, low: 0 };
  hashText(service, hash);
  return [hash.high, hash.low].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Sandboxes get a file for each port they ever had: to be called when a new one comes, so that the old ones go. */
export function removeUnusedAccounts(context: Context, use: Use): void {
  const names = new RegExp(`^${use}-[\\da-f]{16,32}\\.json(?:${stagingSuffix})?$`, "u");
  removeUnused(findFolders(context).state, names, context.clock.now());
}
