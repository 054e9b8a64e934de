import { query } from "../../contract/param.ts";
import { readInteger, readParam } from "../../contract/read-param.ts";
import { usageFailure } from "../../contract/failure.ts";
import { tiers } from "../../contract/tier.ts";
import { settings } from "../../settings/settings.ts";
import { flag } from "./flag.ts";
import { choice, duration, list, readBy, toggle, wholeNumber } from "./flag-types.ts";

const statuses = list(
  "statuses",
  (label, typed): ReadonlySet<number> =>
    new Set(typed.map((status) => Number(readInteger(label, status, { min: 400, max: 599 })))),
);

/** Requests a minute. */
const rate = readBy("integer or unlimited", "n", (label, typed) => {
  const checked = settings.rpm.check(typed);
  if ("problem" in checked) throw usageFailure(`${label}: ${checked.problem}`);
  return checked.value;
});

/** A whole number, written like the numbers of filters. */
const credits = readBy("integer", "n", (_, typed) =>
  Number(readParam(query("max_credits", { kind: "integer", min: 0 }, ""), typed, 0)),
);

/** How the service is asked: time, retries, pace and credits. */
export const requestFlags = {
  timeout: flag(duration, "Requests", { summary: "for one request", default: "30s" }),
  deadline: flag(duration, "Requests", { summary: "for the whole run" }),
  retries: flag(wholeNumber({ min: 0, max: 100 }), "Requests", {
    summary: "further tries after 429, 500 and connection faults",
    default: "4",
  }),
  "retry-on": flag(statuses, "Requests", {
    suggests: ["502", "503", "504"],
    summary: "retry these too: 502,503,504",
  }),
  "retry-max-time": flag(duration, "Requests", { summary: "longest wait for one request", default: "3m" }),
  parallel: flag(wholeNumber({ min: 1, max: 32 }, "1..32"), "Requests", {
    summary: "requests under way at once, where that is possible",
    default: "8",
  }),
  rpm: flag(rate, "Requests", {
    suggests: ["unlimited"],
    summary: "requests a minute, spread evenly; or unlimited",
    default: "the plan's",
    defaultSaid: "default: the plan's",
  }),
  "max-credits": flag(credits, "Requests", { summary: "end before the request that would pass this many" }),
  estimate: flag(toggle, "Requests", {
    summary: "say what it would cost instead, asking only what that takes",
  }),
  "require-plan": flag(choice(tiers, "plan"), "Requests", {
    summary: "end when the service counts a request under another plan",
  }),
};
