import { intervals, sameIntervals } from "../../../api/endpoints/ohlcv.ts";
import { atRules } from "../../../api/endpoints/prices.ts";
import type { Endpoint } from "../../../api/endpoint.ts";
import { batchParam } from "../../../api/reply.ts";
import { type Flag, flag, type TypedFlags } from "../../run/flags/flag.ts";
import { choice, duration, filledText, type FlagType, texts, toggle } from "../../run/flags/flag-types.ts";

const group = "Prices at a time";
const timeFlags = ["at", "at-field"];
const excludes: NonNullable<Flag["excludes"]> = [
  { flag: "watch", why: "prices in the past do not change", next: "remove --watch" },
];

const atTimes: FlagType<readonly string[]> = { ...texts("time"), name: "time" };

/** Prices at times in the past, which are read from candles. */
export const timedFlags = {
  at: flag(atTimes, group, {
    summary: "Get the price at this time; repeatable",
    details:
      "; read from candles, which require a dev plan for tokens (any plan with --pool); a line of a list can have its own time, e.g. weth 2026-11-01",
    excludes,
  }),
  "at-field": flag(filledText("field"), group, {
    summary: "Get a price for each input row, at the time in this field",
    details:
      "; the input is NDJSON or CSV with network and one of token, asset, address or pool, or NDJSON of other commands; a row of txns gets a price for each of its tokens",
    excludes: [...excludes, { flag: "at", isMutual: true, next: "use only one of them" }],
  }),
  interval: flag(choice(intervals, "interval", sameIntervals), group, {
    summary: "Length of the candles that past prices are taken from",
    default: "1h",
    with: timeFlags,
  }),
  "max-age": flag(duration, group, {
    summary: "Maximum time from the close of the candle to the requested time",
    default: 86_400_000,
    with: timeFlags,
  }),
  "at-rule": flag(choice(atRules, "rule"), group, {
    summary:
      "Which candle sets the price: before (default; the newest that had closed by then), open (the one that contains the time)",
    default: "before",
    with: timeFlags,
  }),
  in: flag(filledText("asset", "address"), group, {
    summary: "Add the price in this token at the same time",
    with: timeFlags,
  }),
  pool: flag(toggle, group, {
    summary: "Treat the addresses as pools",
    details: ", each priced in one of its tokens",
    with: timeFlags,
  }),
  lake: flag(filledText("directory", "file"), group, {
    summary: "Use complete candles from this directory of dexdata sync",
    details: "; requests only the others",
    with: timeFlags,
  }),
};

/** Whether a command for prices has flags for prices in the past. */
export const isTimed = ({ reply }: Endpoint, typed: TypedFlags): boolean =>
  batchParam(reply) !== undefined && Object.keys(timedFlags).some((name) => typed.has(name));

/**
 * Whether the text after an asset in a list is meant as a time, and not as a label. If `7w` were a label, the row would
 * have the current price.
 */
export const isMeantAsTime = (label = ""): boolean =>
  /^(?:\d{4}-\d\d-\d\d|\d{10}$|-?\d+(?:\.\d+)?(?:ms|[smhdw])$|(?:today|yesterday|now)$)/u.test(label);
