import { localExits } from "../../../base/exit-codes.ts";
import { faultTraits } from "../../../sandbox/fault-kinds.ts";
import { simulationFlags } from "../../run/flags/shared-flags.ts";
import { command } from "../command.ts";
import { sandboxFlags, sandboxShared } from "./sandbox-flags.ts";

export const sandboxCommand = command({
  words: "sandbox",
  section: "Setup",
  positionals: [{ name: "-- command", isOptional: true, isRepeatable: true, suggests: "command line" }],
  summary: "Serve a simulated API on localhost, offline and free",
  examples: [
    "dexdata sandbox",
    "dexdata sandbox --clock 2026-06-01 --log requests.ndjson",
    "dexdata sandbox -- dexdata pools search base --limit 3",
    "dexdata sandbox --minute 6s --credits 50 --faults 429x3,500:5%,reset-body@7",
  ],
  exits: localExits,
  passesExit: true,
  flags: sandboxFlags,
  shared: sandboxShared,
  notes: [
    {
      heading: "Flags of other commands",
      rows: Object.entries(simulationFlags).map(([name, { type, summary }]) => [
        `--${name}${type.placeholder === undefined ? "" : ` <${type.placeholder}>`}`,
        summary,
      ]),
    },
    "With -- command, dexdata runs the command against this sandbox, and stops the sandbox when the command ends. " +
      "With --clock, the command also gets DEXDATA_NOW, so that both start at the same time.",
    {
      heading: "Faults",
      prose:
        "--faults takes a comma-separated list of <kind>[=value][when][/part of a path]. [when] selects requests by " +
        "position or by percentage. Only requests that the fault can affect are counted: empty-page@2 affects the second " +
        "request for a list, even if other requests come in between. A part of a path, as in 500x3/transactions, " +
        "restricts the fault to requests whose path contains it. With the same seed, the same requests are affected.",
    },
    "Five kinds change the market instead of requests: late-rows, late-pools, withdrawn-rows, reorg and reach. " +
      "Except for reach, which affects all transactions, their [when] is a share of rows, pools or blocks, from :0% to :100%. Responses at the same time never contradict each other, " +
      "and once rows are old enough, responses are the same as without these faults (except for reach). Values are durations such as 90s, 20m, 3h " +
      "or 7d, except for reorg, which takes a number of blocks.",
    {
      heading: "When",
      rows: [
        ["x3", "The first three requests"],
        ["@7", "The seventh request"],
        ["@7-9", "The seventh to the ninth request"],
        ["@7-", "The seventh request and all later ones"],
        [":5%", "5% of all requests"],
        [":5%x3", "5% of all requests, and the next two after each (bursts of three)"],
        ["(none)", "All requests; for a kind marked (once), only the first one"],
      ],
    },
    {
      heading: "Kinds",
      rows: Object.entries({
        "400 … 599": { help: "Respond with this status; 429=7 adds Retry-After: 7" },
        ...faultTraits,
      }).map(([name, { help }]) => [name, help]),
    },
  ],
  run: async (input, context) => await (await import("./sandbox.ts")).runSandbox(input, context),
});
