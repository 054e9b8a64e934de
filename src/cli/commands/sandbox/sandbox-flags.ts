import { invalidInput } from "../../../base/failure.ts";
import { faultTraits } from "../../../sandbox/fault-kinds.ts";
import { flag, pick } from "../../run/flags/flag.ts";
import {
  choice,
  duration,
  outputFile,
  readBy,
  text,
  toggle,
  wholeNumber,
} from "../../run/flags/flag-types.ts";
import { faults, seed, sharedFlags, simulationFlags, speed } from "../../run/flags/shared-flags.ts";
import type { Block } from "../../help-page.ts";

const group = "Sandbox";

/** A larger limit would have no additional effect. */
const most = 1_000_000_000_000;

const rate = readBy("integer or unlimited", "n", (_, typed) =>
  typed === "unlimited" ? Number.POSITIVE_INFINITY : wholeNumber({ min: 1, max: most }).read("rpm", [typed]),
);

const usd = readBy("number", "usd", (label, typed) => {
  if (/^\d{1,9}(\.\d{1,6})?$/u.test(typed)) return Number(typed);
  throw invalidInput(label, "must be an amount in USD, such as 20 or 0.5");
});

export const sandboxFlags = {
  port: flag(wholeNumber({ min: 0, max: 65_532 }), group, {
    summary: "First of four consecutive ports, one for each host",
    default: 4747,
    details: "; 0 picks free ports",
  }),
  clock: flag(text("time", "time"), group, {
    summary: "Start time of the simulated clock",
    defaultSaid: "default now",
  }),
  speed: flag(speed, group, {
    summary: "Speed of the simulated clock",
    default: 1,
    details: "; 1 is real time, 0 freezes the clock",
  }),
  seed: flag(seed, group, { summary: "Seed of the simulated market", default: 1 }),
  faults: flag(faults, group, {
    summary: "Inject faults, e.g. 429x3,500:5%",
    details: "; see docs/sandbox.md",
  }),
  dialect: flag(choice(["public", "spec"], "dialect"), group, {
    summary: "Imitate the public service or its specification: public (default), spec",
    choicesIn: "summary",
    default: "public",
  }),
  rpm: flag(rate, group, {
    suggests: ["unlimited"],
    summary: "Requests per minute, instead of the plan's limit",
    details: ": a number or unlimited",
  }),
  minute: flag(duration, group, { summary: "Length of the rate-limit window, e.g. 6s" }),
  credits: flag(wholeNumber({ min: 0, max: most }), group, {
    summary: "Number of credits, instead of the plan's",
  }),
  packs: flag(wholeNumber({ min: 0, max: most }), group, {
    summary: "Add this many credits, as if you had bought credit packs; pro only",
  }),
  "overage-cap": flag(usd, group, {
    summary: "Allow overage up to this amount in USD",
    defaultSaid: "default off",
    details: "; pro only",
  }),
  latency: flag(duration, group, { summary: "Delay every response by this amount of time" }),
  log: flag(outputFile, group, { summary: "Append one JSON line per request to this file" }),
  env: flag(toggle, group, {
    summary: "Print shell export lines for the hosts and a key, instead of the summary",
  }),
};

export const sandboxNotes: readonly Block[] = [
  {
    heading: "Flags of other commands",
    rows: Object.entries(simulationFlags).map(([name, { type, summary }]) => [
      `--${name}${type.placeholder === undefined ? "" : ` <${type.placeholder}>`}`,
      summary,
    ]),
  },
  {
    prose:
      "With -- command, dexdata runs the command against this sandbox, and stops the sandbox when the command ends. " +
      "With --clock, the command also gets DEXDATA_NOW, so that both start at the same time.",
  },
  {
    heading: "Faults",
    prose:
      "--faults takes a comma-separated list of <kind>[=value][when][/part of a path]. [when] selects requests by " +
      "position or by percentage. Only requests that the fault can affect are counted: empty-page@2 affects the second " +
      "request for a list, even if other requests come in between. A part of a path, as in 500x3/transactions, " +
      "restricts the fault to requests whose path contains it. With the same seed, the same requests are affected.",
  },
  {
    prose:
      "Five kinds change the market instead of requests: late-rows, late-pools, withdrawn-rows, reorg and reach. " +
      "Except for reach, which affects all transactions, their [when] is a share of rows, pools or blocks, from :0% to :100%. Responses at the same time never contradict each other, " +
      "and once rows are old enough, responses are the same as without these faults (except for reach). Values are durations such as 90s, 20m, 3h " +
      "or 7d, except for reorg, which takes a number of blocks.",
  },
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
];

export const sandboxShared = pick(sharedFlags, "error-format");

export type SandboxFlags = typeof sandboxShared & typeof sandboxFlags;
