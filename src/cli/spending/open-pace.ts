import { createPace, memoryStore, type PaceStore } from "../../client/pace/create-pace.ts";
import type { Pace, PaceRate } from "../../client/pace/pace.ts";
import { readPaceState } from "../../client/pace/pace-state.ts";
import type { Target } from "../../client/connection/target.ts";
import type { Context } from "../../context/context.ts";
import { saidOf } from "../../files/file-fault.ts";
import { plans } from "../../contract/tier.ts";
import { updateStateFile } from "../../files/state-file.ts";
import type { Notices } from "../notices.ts";
import type { RunOptions } from "../run-options.ts";
import { accountFile, removeUnusedAccounts } from "./account-file.ts";

/** The pace of the target's key, shared with every process of this machine that uses it. */
export function openPace(
  context: Context,
  { rpm }: Pick<RunOptions, "rpm">,
  target: Target,
  notices: Pick<Notices, "warn" | "pausing">,
): Pace {
  const rate = chooseRate(rpm, target);
  // The sandbox of this process has its own minute, which no other process draws on.
  const isAlone = target.isSimulated || rate.kind === "unlimited";
  const store = isAlone ? memoryStore() : sharedStore(context, accountFile(context, "pace", target), notices);
  return createPace(context, { rate, store, pausing: notices.pausing });
}

function chooseRate({ value, where }: RunOptions["rpm"], { tier }: Target): PaceRate {
  if (value === "unlimited") return { kind: "unlimited" };
  if (value !== undefined) return { kind: "fixed", perMinute: value, where };
  return { kind: "plan", perMinute: plans[tier].requestsPerMinute, plan: tier };
}

/** Where the file cannot be had, this process goes on from what it last knew, alone. */
function sharedStore(context: Context, file: string, { warn }: Pick<Notices, "warn">): PaceStore {
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
      warn(`dexdata: the pace cannot be shared with other processes, so it is this one's own: ${why}`);
      return await own.update(change);
    }
  };
  return { update };
}
