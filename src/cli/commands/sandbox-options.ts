import { usageFailure } from "../../contract/failure.ts";
import { choiceFailure } from "../../contract/read-param.ts";
import type { Dialect } from "../../sandbox/dialect.ts";
import type { SandboxOptions } from "../../sandbox/exchange.ts";
import type { FlagValues } from "../flags/flags.ts";
import { readFaults } from "../flags/read-faults.ts";
import { readCount, readText, readTime } from "../flags/read-flag.ts";

/** Beyond it a count says nothing that no limit would not say. */
const most = 1_000_000_000_000;

/** What the flags say of the service itself: limits, forms, faults. What was not typed is absent. */
export function readServiceOptions(flags: FlagValues): Partial<SandboxOptions> {
  const options = {
    requestsPerMinute: readRate(flags),
    minuteMs: readTime(flags, "minute"),
    credits: readCount(flags, "credits", { min: 0, max: most }),
    packs: readCount(flags, "packs", { min: 0, max: most }),
    overageCapUsd: readUsd(flags, "overage-cap"),
    latencyMs: readTime(flags, "latency"),
    dialect: readDialect(flags),
    faults: readFaults(flags),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function readRate(flags: FlagValues): number | undefined {
  return flags["rpm"] === "unlimited"
    ? Number.POSITIVE_INFINITY
    : readCount(flags, "rpm", { min: 1, max: most });
}

function readUsd(flags: FlagValues, name: string): number | undefined {
  const typed = readText(flags, name);
  if (typed === undefined) return undefined;
  if (/^\d{1,9}(\.\d{1,6})?$/u.test(typed)) return Number(typed);
  throw usageFailure(`--${name} "${typed}": must be an amount of USD, such as 20 or 0.5`);
}

function readDialect(flags: FlagValues): Dialect | undefined {
  const typed = readText(flags, "dialect");
  if (typed === undefined || typed === "spec" || typed === "public") return typed;
  throw choiceFailure(`--dialect "${typed}"`, typed, ["spec", "public"]);
}
