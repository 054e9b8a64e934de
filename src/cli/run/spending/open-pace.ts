import { createPace, memoryStore, type PaceStore } from "../../../client/create-pace.ts";
import { type Pace, type PaceRate, readPaceState } from "../../../client/pace.ts";
import type { Target } from "../../../client/target.ts";
import type { Context } from "../../../base/context/context.ts";
import { describeError } from "../../../base/files/file-errors.ts";
import { plans } from "../../../api/tier.ts";
import { removeUnused, updateStateFile } from "../../../base/files/json-file.ts";
import type { Report } from "../report.ts";
import type { RunOptions } from "../run-options.ts";
import { createHash } from "node:crypto";
import path from "node:path";
import { stagingSuffix } from "../../../base/files/replace-file.ts";
import { hashOfText } from "../../../base/text/text-hash.ts";
import { findFolders } from "../../folders.ts";

/** All processes on this machine that use the key share its request rate. */
export function openPace(
  context: Context,
  { rpm }: Pick<RunOptions, "rpm">,
  target: Target,
  report: Pick<Report, "warn" | "pausing">,
): Pace {
  const rate = chooseRate(rpm, target);
  // A sandbox in this process has its own rate limit, which other processes do not use.
  const isAlone = target.isSimulated || rate.kind === "unlimited";
  const store = isAlone ? memoryStore() : sharedStore(context, accountFile(context, "pace", target), report);
  return createPace(context, { rate, store, pausing: report.pausing });
}

function chooseRate({ value, where }: RunOptions["rpm"], { tier }: Target): PaceRate {
  if (value === "unlimited") return { kind: "unlimited" };
  if (value !== undefined) return { kind: "fixed", perMinute: value, where };
  return { kind: "plan", perMinute: plans[tier].requestsPerMinute, plan: tier };
}

/** If the shared file becomes unusable, this process continues alone with the last known state. */
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
      const why = describeError(cause);
      warn(`the request rate cannot be shared with other processes: ${why}`);
      return await own.update(change);
    }
  };
  return { update };
}

/** State that all processes on this machine share for each service and key. */
type Use = "pace" | "budget";

/** The file name is a hash of the service and the key (or no key). */
export function accountFile(context: Context, use: Use, { rest, key }: Pick<Target, "rest" | "key">): string {
  const { origin, pathname } = new URL(rest);
  const service = `${origin}${pathname.replace(/\/+$/u, "")}`;
  // The service is not secret, and loading node:crypto takes longer than the rest of a short run over plain http.
  const hash =
    key === undefined
      ? hashOfText(service)
      : createHash("sha256").update(`${service}\n${key}`).digest("hex").slice(0, 32);
  return path.join(findFolders(context).state, `${use}-${hash}.json`);
}

/** Runs whenever a new file is created, because a sandbox creates one for every new port. */
export function removeUnusedAccounts(context: Context, use: Use): void {
  const names = new RegExp(`^${use}-[\\da-f]{16,32}\\.json(?:${stagingSuffix})?$`, "u");
  removeUnused(findFolders(context).state, names, context.clock.now());
}
