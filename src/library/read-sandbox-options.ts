import { invalidInput, usageFailure } from "../base/failure.ts";
import type { Faults } from "../sandbox/fault-kinds.ts";
import { isFaultProblem, parseFaults } from "../sandbox/parse-faults.ts";
import { formatInstant, parseTimeBound } from "../base/time/time.ts";
import { checkNames, wholeNumber } from "./check-options.ts";
import { timeText } from "./read-params.ts";
import type { SandboxOptions } from "./sandbox-types.ts";

/** Milliseconds. A timer cannot wait much longer. */
const maxDuration = 86_400_000;
/** A larger limit would have no additional effect. */
const maxCredits = 1_000_000_000_000;

const optionNames = Object.keys({
  clock: true,
  speed: true,
  seed: true,
  faults: true,
  dialect: true,
  rpm: true,
  minute: true,
  credits: true,
  packs: true,
  overageCap: true,
  latency: true,
  port: true,
} satisfies Readonly<Record<keyof SandboxOptions, true>>);

/** `now` is in milliseconds since the epoch. */
export function readSandboxOptions(options: SandboxOptions, now: number) {
  checkNames(options, "option", optionNames, "startSandbox");
  const { speed = 1, dialect = "public", rpm, credits, overageCap } = options;
  amount("speed", speed, 1_000_000, "a number such as 0, 1 or 60");
  if (!["spec", "public"].includes(dialect)) throw invalidInput("dialect", "must be one of spec, public");
  return {
    begin: options.clock === undefined ? now : readClock(options.clock, now),
    speed,
    faults: readFaults(options.faults),
    seed: wholeNumber("seed", options.seed ?? 1, 0, 4_294_967_295),
    dialect,
    minuteMs: wholeNumber("minute", options.minute ?? 60_000, 1, maxDuration),
    packs: wholeNumber("packs", options.packs ?? 0, 0, maxCredits),
    latencyMs: wholeNumber("latency", options.latency ?? 0, 0, maxDuration),
    port: wholeNumber("port", options.port ?? 0, 0, 65_532),
    ...(rpm !== undefined && {
      requestsPerMinute:
        rpm === "unlimited" ? Number.POSITIVE_INFINITY : wholeNumber("rpm", rpm, 1, maxCredits),
    }),
    ...(credits !== undefined && { credits: wholeNumber("credits", credits, 0, maxCredits) }),
    ...(overageCap !== undefined && {
      overageCapUsd: amount("overageCap", overageCap, 1_000_000_000, "an amount in USD, such as 20 or 0.5"),
    }),
  };
}

export function readFaults(faults: SandboxOptions["faults"] = []): Faults {
  const list: readonly unknown[] = [faults].flat();
  const wrong = list.findIndex((each) => typeof each !== "string");
  if (wrong >= 0)
    throw invalidInput(`faults "${String(list[wrong])}"`, "must be a string, or an array of strings");
  const text = list.join(",");
  if (text === "") return [];
  const read = parseFaults(text);
  if (isFaultProblem(read)) throw usageFailure(`faults ${read.problem}`, read.next);
  return read;
}

function readClock(clock: NonNullable<SandboxOptions["clock"]>, now: number): number {
  const text = timeText("clock", clock);
  const instant = parseTimeBound(text, now);
  if ("problem" in instant) throw invalidInput(`clock "${text}"`, instant.problem, instant.next);
  return Date.parse(formatInstant(instant));
}

function amount(name: string, value: number, max: number, accepted: string): number {
  if (typeof value === "number" && value >= 0 && value < max) return value;
  throw invalidInput(name, `must be ${accepted}`);
}
