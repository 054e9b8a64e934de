import { current, readPaceState } from "../../client/pace/pace-state.ts";
import type { Target } from "../../client/connection/target.ts";
import type { Context } from "../../context/context.ts";
import { member } from "../../json/raw-json.ts";
import { plans } from "../../contract/tier.ts";
import { readJsonFile } from "../../files/read-json-file.ts";
import { counted } from "../../text/counted.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { accountFile } from "../../run/spending/open-pace.ts";
import { type Finding, fail, ok, took, warn } from "./finding.ts";

/** What this machine's processes used of the minute, as they told each other. */
export function checkPace(context: Context, { rpm }: RunOptions, target: Target): Finding {
  const file = readJsonFile(accountFile(context, "pace", target));
  const now = context.clock.elapsed();
  const { sends, hold, told, learned } = current(
    readPaceState(file.state === "read" ? file.object : undefined),
    now,
  );
  const rate = rpm.value ?? plans[target.tier].requestsPerMinute ?? "no known number of";
  const used = sends.reduce((sum, { at, count }) => (at > now - 60_000 ? sum + count : sum), 0);
  const lower = [told, learned].flatMap((each) => (each === undefined ? [] : [each.perMinute]));
  const found = `${counted(used, "request")} in the last minute, of ${rate}`;
  if (hold !== undefined)
    return warn(
      "pace",
      `${found}; the service refused more, and nothing leaves for ${took(hold.until - now)}`,
      "wait, and see what else uses this key",
    );
  const heard = lower.length === 0 ? "" : `; the service was heard to take ${Math.min(...lower)}`;
  return ok("pace", `${found}${heard}`);
}

/** What is left of `budget.daily`, where there is one. */
export function checkBudget(context: Context, { settings }: RunOptions, target: Target): readonly Finding[] {
  const { value: most } = settings.budget_daily;
  if (most === undefined || target.isSimulated) return [];
  const path = accountFile(context, "budget", target);
  const file = readJsonFile(path);
  if (file.state === "broken")
    return [
      fail(
        "budget",
        `${file.problem}, so nothing is asked for`,
        `remove it, which counts anew: rm '${path}'`,
        2,
      ),
    ];
  const object = file.state === "read" ? file.object : undefined;
  const today = new Date(context.clock.now()).toISOString().slice(0, 10);
  const spent = member(object, "day") === today ? Number(member(object, "credits")) : 0;
  const found = `${spent} of ${most} credits are spent today (UTC)`;
  return [
    spent < most
      ? ok("budget", found)
      : fail(
          "budget",
          found,
          "wait for tomorrow, or change it: dexdata config set budget.daily <credits>",
          5,
        ),
  ];
}
