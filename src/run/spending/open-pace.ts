import { createPace, memoryStore, type PaceStore } from "../../client/pace/create-pace.ts";
import type { Pace, PaceRate } from "../../client/pace/pace.ts";
import { readPaceState } from "../../client/pace/pace-state.ts";
import type { Target } from "../../client/connection/target.ts";
import type { Context } from "../../context/context.ts";
import { saidOf } from "../../files/file-fault.ts";
import { plans } from "../../contract/tier.ts";
import { removeUnused, updateStateFile } from "../../files/update-json-file.ts";
import type { Report } from "../report.ts";
import type { RunOptions } from "../run-options.ts";
import { createHash } from "node:crypto";
import path from "node:path";
import { stagingSuffix } from "../../files/replace-file.ts";
import { hashText, type TextHash } from "../../text/text-hash.ts";
import { findFolders } from "../../settings/folders.ts";

/** The pace of the target's key, shared with every process of this machine that uses it. */
export function openPace(
  context: Context,
  { rpm }: Pick<RunOptions, "rpm">,
  target: Target,
  report: Pick<Report, "warn" | "pausing">,
): Pace {
  const rate = chooseRate(rpm, target);
  // The sandbox of this process has its own minute, which no other process draws on.
  const isAlone = target.isSimulated || rate.kind === "unlimited";
  const store = isAlone ? memoryStore() : sharedStore(context, accountFile(context, "pace", target), report);
  return createPace(context, { rate, store, pausing: report.pausing });
}

function chooseRate({ value, where }: RunOptions["rpm"], { tier }: Target): PaceRate {
  if (value === "unlimited") return { kind: "unlimited" };
  if (value !== undefined) return { kind: "fixed", perMinute: value, where };
  return { kind: "plan", perMinute: plans[tier].requestsPerMinute, plan: tier };
}

/** Where the file cannot be had, this process goes on from what it last knew, alone. */
function sharedStore(context: Context, file: string, { warn }: Pick<Report, "warn">): PaceStore {
  const own = memoryStore();
  let isShared = true;
  const update: PaceStore["update"] = async (change) => {
    if (!isShared) return await own.update(change);
    try {
      return await updateStateFile(context, file, (content) => {
        if (content === undefined) removeUnusedAccounts(context, "pace");
        const changed = change(readPaceState(content));
        void own.update(() => changed);
        return changed;
      });
    } catch (cause) {
      if (context.signal.aborted) throw cause;
      isShared = false;
      const why = saidOf(cause);
      warn(`the pace cannot be shared with other processes, so it is this one's own: ${why}`);
      return await own.update(change);
    }
  };
  return { update };
}

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
