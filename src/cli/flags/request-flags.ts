import { tiers } from "../../contract/tier.ts";
import type { Flag } from "./flags.ts";

/** How the service is asked: time, retries, pace and credits. */
export const requestFlags: readonly Flag[] = [
  { name: "timeout", value: "duration", help: "for one request (default 30s)", group: "Requests" },
  { name: "deadline", value: "duration", help: "for the whole run", group: "Requests" },
  {
    name: "retries",
    value: "n",
    help: "further tries after 429, 500 and connection faults (default 4)",
    group: "Requests",
  },
  {
    name: "retry-on",
    value: "statuses",
    suggests: ["502", "503", "504"],
    isList: true,
    help: "retry these too: 502,503,504",
    group: "Requests",
  },
  {
    name: "retry-max-time",
    value: "duration",
    help: "longest wait for one request (default 3m)",
    group: "Requests",
  },
  {
    name: "parallel",
    value: "1..32",
    help: "requests under way at once, where that is possible (default 8)",
    group: "Requests",
  },
  {
    name: "rpm",
    value: "n",
    suggests: ["unlimited"],
    help: "requests a minute, spread evenly; or unlimited (default: the plan's)",
    group: "Requests",
  },
  {
    name: "max-credits",
    value: "n",
    help: "end before the request that would pass this many",
    group: "Requests",
  },
  {
    name: "estimate",
    help: "say what it would cost instead, asking only what that takes",
    group: "Requests",
  },
  {
    name: "require-plan",
    value: "plan",
    choices: tiers,
    help: "end when the service counts a request under another plan",
    group: "Requests",
  },
];
