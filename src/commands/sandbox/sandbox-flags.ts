import { invalidInput } from "../../contract/failure.ts";
import { faultTraits } from "../../sandbox/faults/fault-kinds.ts";
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
import { sharedFlags, speed } from "../../run/flags/shared-flags.ts";
import type { Block } from "../../render/page/help-page.ts";

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

/** The flags of `dexdata sandbox`. */
export const sandboxFlags = {
  port: flag(wholeNumber({ min: 0, max: 65_532 }), group, {
    summary: "First of four ports",
    default: "4747",
    details: "; 0 picks free ports",
  }),
  clock: flag(text("time", "time"), group, { summary: "Start time of the simulated clock", default: "now" }),
  speed: flag(speed, group, {
    summary: "Speed of the simulated clock",
    default: "1",
    details: "; 0 freezes it",
  }),
  dialect: flag(choice(["spec", "public"], "dialect"), group, {
    summary: "Follow the specification (default spec) or the public service where they differ",
  }),
  rpm: flag(rate, group, {
    suggests: ["unlimited"],
    summary: "Requests per minute instead of the plan's limit",
    details: ", or unlimited",
  }),
  minute: flag(duration, group, { summary: "Length of the rate-limit window, e.g. 6s" }),
  credits: flag(wholeNumber({ min: 0, max: most }), group, { summary: "Credits instead of the plan's" }),
  packs: flag(wholeNumber({ min: 0, max: most }), group, {
    summary: "Extra purchased credits; pro only",
  }),
  "overage-cap": flag(usd, group, {
    summary: "Allow overage up to this spend",
    default: "off",
    details: "; pro only",
  }),
  latency: flag(duration, group, { summary: "Delay every response by this long" }),
  log: flag(outputFile, group, { summary: "Append one JSON line per request" }),
  env: flag(toggle, group, { summary: "Print shell export lines instead of the summary" }),
};

/** The syntax of `--faults`, as help displays it. */
export const faultsHelp: readonly Block[] = [
  {
    heading: "Faults",
    prose:
      "--faults takes <kind>[=value][when][/part of a path], separated by commas. When: x3 the first three, @7 the " +
      "seventh, @7-9 the seventh to the ninth, @7- the seventh and later, :5% of all, :5%x3 in bursts of three; " +
      "otherwise all. Only requests that the fault can affect count. The same seed affects the same requests. Kinds:",
    rows: Object.entries({
      "400 … 599": { help: "This status; 429=7 waits 7s" },
      ...faultTraits,
    }).map(([name, { help }]) => [name, help]),
  },
];

export const sandboxShared = pick(sharedFlags, "seed", "faults", "error-format");

export type SandboxFlags = typeof sandboxShared & typeof sandboxFlags;
