import { exitCodes } from "../../../contract/exit-codes.ts";
import type { Block } from "../page.ts";

export function exitCodesTopic(): readonly Block[] {
  return [
    { prose: "How a run ended, and what a script does next." },
    {
      heading: "Exit codes",
      rows: Object.entries(exitCodes).map(([code, { when, next }]) => [code, `${when} → ${next}`]),
    },
    {
      prose:
        "An error is at most three lines on stderr: what is wrong, why in the service's words, what to type next. " +
        "With --error-format json it is one JSON object with code, message, status, exit, retryable, next, and every " +
        "field of the service's body under its own name, and each of several inputs that failed has one. That is the " +
        "default where the output is json or ndjson and stderr is no terminal.",
    },
    {
      heading: "Examples",
      commands: ["dexdata explain 402", "dexdata explain plan_required", "dexdata explain 8 -o json"],
    },
  ];
}
