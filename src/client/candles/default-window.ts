import { intervalSeconds } from "./candle-slices.ts";
import type { Typed } from "../../contract/args.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { usageFailure } from "../../contract/failure.ts";
import { inputName, readParam } from "../../contract/read-param.ts";
import { formatInstant, parseTimeBound } from "../../time/time.ts";

/**
 * Fills in what `ohlcv` sends when little is typed: interval 1h, the last 24 hours, which fits every plan.
 * `--count-back N` sets the start to N intervals before the end. `now`: milliseconds.
 */
export function completeWindow(endpoint: Endpoint, typed: Typed, now: number): Typed {
  const interval = typed.get("interval") ?? "1h";
  const end = typed.get("end") ?? "now";
  const countBack = typed.get("count_back");
  if (countBack !== undefined && typed.has("start")) {
    const [count, from] = ["count_back", "start"].map((name) => nameOf(endpoint, name));
    throw usageFailure(`${count} and ${from}: both say where the window begins`, "leave out one of them");
  }
  const start =
    typed.get("start") ??
    (countBack === undefined ? "-24h" : startBefore(endpoint, end, interval, countBack, now));
  return new Map([...typed, ["interval", interval], ["start", start], ["end", end]]);
}

function startBefore(
  endpoint: Endpoint,
  end: string,
  interval: string,
  countBack: string,
  now: number,
): string {
  for (const [name, text] of [
    ["interval", interval],
    ["count_back", countBack],
  ] as const) {
    const param = endpoint.params.find((each) => each.name === name);
    if (param !== undefined) readParam(param, text, now);
  }
  const instant = parseTimeBound(end, now);
  if ("problem" in instant)
    throw usageFailure(`${nameOf(endpoint, "end")} "${end}": ${instant.problem}`, instant.next);
  return formatInstant({
    ...instant,
    seconds: instant.seconds - Number(countBack) * intervalSeconds(interval),
  });
}

function nameOf({ params }: Endpoint, wire: string): string {
  const param = params.find(({ name }) => name === wire);
  return param === undefined ? wire : inputName(param);
}
