import { wireOf } from "../../../base/time/time.ts";
import type { Typed } from "../../../api/args.ts";
import { type Endpoint, rowShape } from "../../../api/endpoint.ts";
import { invalidInput, usageFailure } from "../../../base/failure.ts";
import { SECONDS_PER_DAY } from "../../../base/time/calendar.ts";
import { type Days, endOfRange, parseDays } from "../../../base/time/days.ts";
import { hasColumns } from "../../render/formats/formats.ts";
import { splitPath } from "../../render/values/row-text.ts";
import { fieldAt } from "../../render/values/value-at.ts";
import type { TypedFlags } from "../../run/flags/flag.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { intervalSeconds } from "../../../client/candle-intervals.ts";

/** The parameters that flags set, as typed; `days` are those of `--day`. */
export function typedParams(
  endpoint: Endpoint,
  given: TypedFlags,
  days: Days | undefined,
  options: Pick<RunOptions, "now" | "format" | "fields">,
): Map<string, string> {
  const typed = new Map<string, string>();
  for (const { name, flag } of endpoint.params) {
    const texts = flag === undefined ? undefined : given.get(flag);
    if (texts !== undefined) typed.set(name, texts.at(-1) ?? "true");
  }
  if (showsDetails(endpoint, options)) typed.set("detailed", "true");
  return new Map([...typed, ...rangeOfDays(endpoint, days, options.now)]);
}

export function readDays(typed: string | undefined, given: TypedFlags, now: number): Days | undefined {
  if (typed === undefined) return undefined;
  const days = parseDays(typed, now);
  if ("problem" in days) throw invalidInput(`--day "${typed}"`, days.problem, days.next);
  if (intervalSeconds(given.get("interval")?.at(-1) ?? "1h") > SECONDS_PER_DAY)
    throw usageFailure("--day cannot be used with candles longer than a day", "use --from and --to");
  return days;
}

/** The parameters of `--from` and `--to`. */
function rangeOfDays({ params }: Endpoint, days: Days | undefined, now: number): Typed {
  if (days === undefined) return new Map();
  const bounds = { from: wireOf(days.from), to: wireOf(endOfRange(days, now)) };
  return new Map(
    params.flatMap(({ name, flag }) => (flag === "from" || flag === "to" ? [[name, bounds[flag]]] : [])),
  );
}

/** Details are needed for a field that the user named or for the default columns. */
function showsDetails(
  endpoint: Endpoint,
  { fields, format }: Pick<RunOptions, "fields" | "format">,
): boolean {
  if (endpoint.params.every(({ name }) => name !== "detailed")) return false;
  // Plain rows from the public service do not contain names and symbols, and a table without them is hard to read.
  if (fields === undefined) return hasColumns(format);
  const { record } = rowShape(endpoint);
  return fields
    .map(splitPath)
    .some((parts) => parts.some((_, index) => fieldAt(record, parts.slice(0, index + 1))?.isDetail === true));
}
