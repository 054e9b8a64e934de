import { invalidInput } from "../../../base/failure.ts";
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
import { faults, seed, sharedFlags, speed } from "../../run/flags/shared-flags.ts";

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

export const sandboxShared = pick(sharedFlags, "error-format");

export type SandboxFlags = typeof sandboxShared & typeof sandboxFlags;
