import { usageFailure } from "../../contract/failure.ts";
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

/** A larger limit would have the same effect as no limit. */
const most = 1_000_000_000_000;

const rate = readBy("integer or unlimited", "n", (_, typed) =>
  typed === "unlimited" ? Number.POSITIVE_INFINITY : wholeNumber({ min: 1, max: most }).read("rpm", [typed]),
);

const usd = readBy("number", "usd", (label, typed) => {
  if (/^\d{1,9}(\.\d{1,6})?$/u.test(typed)) return Number(typed);
  throw usageFailure(`${label}: must be an amount of USD, such as 20 or 0.5`);
});

/** The flags of `dexdata sandbox`. */
export const sandboxFlags = {
  port: flag(wholeNumber({ min: 0, max: 65_532 }), group, {
    summary: "first of four ports",
    default: "4747",
    details: "; 0 takes any free ones",
  }),
  clock: flag(text("instant", "time"), group, { summary: "where its time begins", default: "now" }),
  speed: flag(speed, group, { summary: "how fast its time runs", default: "1", details: "; 0 freezes it" }),
  dialect: flag(choice(["spec", "public"], "dialect"), group, {
    summary: "forms of the specification (default), or of the public service where they differ",
  }),
  rpm: flag(rate, group, {
    suggests: ["unlimited"],
    summary: "requests a minute instead of the plan's",
    details: "; or unlimited",
  }),
  minute: flag(duration, group, { summary: "length of that minute, such as 6s" }),
  credits: flag(wholeNumber({ min: 0, max: most }), group, { summary: "credits instead of the plan's" }),
  packs: flag(wholeNumber({ min: 0, max: most }), group, {
    summary: "credits bought beside the plan; pro only",
  }),
  "overage-cap": flag(usd, group, {
    summary: "overage up to this spend",
    default: "off",
    details: "; pro only",
  }),
  latency: flag(duration, group, { summary: "hold every answer back for so long" }),
  log: flag(outputFile, group, { summary: "append one JSON line a request" }),
  env: flag(toggle, group, { summary: "print export lines for a shell instead" }),
};

/** The grammar of `--faults`, as help shows it. */
export const faultsHelp: readonly Block[] = [
  {
    heading: "Faults",
    prose:
      "--faults <kind>[=value][when][/part of a path], with commas between. When: x3 the first three, @7 the " +
      "seventh, @7-9, @7- from then on, :5% of all, :5%x3 bursts of three; else all. Counted are the requests a " +
      "fault can strike. The same seed strikes the same requests. Kinds:",
    rows: Object.entries({
      "400 … 599": { help: "this status; 429=7 waits 7 s" },
      ...faultTraits,
    }).map(([name, { help }]) => [name, help]),
  },
];

export const sandboxShared = pick(sharedFlags, "seed", "faults", "error-format");

export type SandboxFlags = typeof sandboxShared & typeof sandboxFlags;
