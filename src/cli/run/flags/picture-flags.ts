import { usageFailure } from "../../../base/failure.ts";
import { type Exclusion, flag, type Values } from "./flag.ts";
import { nameWithoutGzip } from "../../../rows/out-file.ts";
import { toggle } from "./flag-types.ts";
import type { sharedFlags } from "./shared-flags.ts";

/** A drawing that replaces the rows or is shown next to them. */
export type Picture = "chart" | "spark";

const next = "use only one of them";
const noColumns = (name: string): Exclusion => ({
  flag: name,
  why: "a chart does not show columns",
  next,
});

export const chartFlag = flag(toggle, "Output", {
  summary: "Draw a candle and volume chart instead of rows",
  details: "; with --out x.svg, as an image",
  excludes: [
    noColumns("fields"),
    noColumns("columns"),
    noColumns("no-header"),
    {
      flag: "resume",
      why: "a chart is drawn only after all candles have arrived",
      next: "leave out --resume",
    },
  ],
});

export const sparkFlag = flag(toggle, "Output", {
  summary: "Add a sparkline column",
  details: ": the price 24h, 6h, 1h and 5m ago, and now",
});

export type PictureFlags = Values<{ readonly chart: typeof chartFlag; readonly spark: typeof sparkFlag }>;

export function isSvgName(out: string | undefined): boolean {
  return /\.svg$/iu.test(nameWithoutGzip(out ?? ""));
}

/** Pictures are meant for people, so they cannot be combined with formats for programs. */
export function readPicture({
  chart,
  spark,
  output,
  out,
}: Partial<PictureFlags & Values<Pick<typeof sharedFlags, "output" | "out">>>): Picture | undefined {
  const picture = chart === true ? "chart" : spark === true ? "spark" : undefined;
  if (isSvgName(out) && picture !== "chart")
    throw usageFailure(
      `--out "${out}": only a chart can be an SVG image`,
      "use ohlcv --chart, or another file name",
    );
  if (picture === undefined) return undefined;
  const isForPeople =
    output === undefined || output === "table" || (output === "wide" && picture === "spark");
  if (isForPeople) return picture;
  throw usageFailure(
    output === "wide"
      ? "--chart cannot be used with --output wide: a chart does not show columns"
      : `--${picture} cannot be used with --output ${output}: it requires --output table`,
    next,
  );
}
