import { intervals, madeIntervals, sameIntervals } from "../../../api/endpoints/ohlcv.ts";
import { invalidInput } from "../../../base/failure.ts";
import { entryOf } from "../../../base/json/json-scan.ts";
import { readChoice } from "../../../api/read-choice.ts";
import { type CandleInterval, type DatasetKind, datasetKinds, partitions } from "../../../lake/dataset.ts";
import { flag, pick } from "../../run/flags/flag.ts";
import { choice, list, readBy, text, toggle } from "../../run/flags/flag-types.ts";
import { hostFlags, metricsFlag, requestFlags, textFlags } from "../../run/flags/shared-flags.ts";

const kinds = list("kinds", (label, items): readonly DatasetKind[] =>
  items.map((item) => readChoice(label, item, datasetKinds)),
);

/** A directory has candles as the service sends them. Longer ones can be made from them at any time. */
export function readStoredInterval(label: string, typed: string): CandleInterval {
  const source = entryOf(madeIntervals, typed);
  if (source !== undefined)
    throw invalidInput(
      label,
      `sync stores only candles that the service sends, and ${typed} candles are made from ${source} candles`,
      `use ${source}`,
    );
  return readChoice(label, entryOf(sameIntervals, typed) ?? typed, intervals);
}

export const syncFlags = {
  kind: flag(kinds, "Rows", {
    suggests: datasetKinds,
    summary:
      "Data to collect for each asset: transactions, ohlcv (pool candles), token-ohlcv, pools (liquidity, volume and price)",
    default: ["transactions"],
  }),
  interval: flag({ ...readBy("choice", "interval", readStoredInterval), choices: intervals }, "Rows", {
    summary: "Candle length",
    default: "1h",
  }),
  search: flag(text("search"), "Rows", {
    summary: "Record the pools of this search, e.g. 'ethereum --limit 500'",
    details:
      "; takes the arguments and filters of pools search (10 pools without --limit); 1 credit per 100 rows and period",
  }),
  list: flag(text("name"), "Rows", {
    summary: "Name of the list that --search or --kind pools records",
    defaultSaid: "default: 'search' with --search, otherwise 'pools'",
  }),
  every: flag(text("duration", "duration"), "Rows", {
    summary: "How often to record the pools of a list",
    defaultSaid: "default 1h",
  }),
  by: flag(choice(partitions, "partition"), "Output", {
    summary:
      "Files to write, month or day; month: one for all complete days of a month, day: one for each day",
    defaultSaid: "default: month; existing datasets keep their layout",
  }),
  from: flag(text("time", "time"), "Rows", {
    summary: "Collect rows from 00:00 UTC on this day",
    defaultSaid: "default: six days ago, or the first full day that the plan includes",
  }),
  watch: flag(toggle, "Requests", {
    summary: "Keep running, and sync again once per --every period",
  }),
  estimate: flag(toggle, "Requests", {
    summary:
      "Print the estimated cost and exit; sends one request for each pool whose transactions it collects",
  }),
  metrics: metricsFlag(),
  force: flag(toggle, "Output", {
    summary: "Check every byte of every file",
    details: " (otherwise only sizes and footers), and request rows again that earlier runs reported as lost",
  }),
};

/** The estimate of `sync` is its own flag. */
const { estimate: _estimate, ...requests } = requestFlags;

export const syncShared = {
  ...pick(
    textFlags,
    "output",
    "no-header",
    "color",
    "quiet",
    "progress",
    "stats",
    "verbose",
    "no-input",
    "error-format",
  ),
  ...requests,
  ...hostFlags,
};
