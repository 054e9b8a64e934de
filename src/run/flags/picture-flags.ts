import { usageFailure } from "../../contract/failure.ts";
import { type Exclusion, flag, type Values } from "./flag.ts";
import { toggle } from "./flag-types.ts";
import type { sharedFlags } from "./shared-flags.ts";

/** What is drawn instead of rows, or next to them. */
export type Picture = "chart" | "spark";

const next = "leave out one of them";
const noColumns = (name: string): Exclusion => ({
  flag: name,
  why: "a chart has no columns of values",
  next,
});

export const chartFlag = flag(toggle, "Output", {
  summary: "draw candles and volume instead of rows; fitted to the window",
  excludes: [
    noColumns("fields"),
    noColumns("columns"),
    noColumns("no-header"),
    {
      flag: "resume",
      why: "a chart is drawn when all candles are there, so none can be gone on with",
      next: "leave out --resume",
    },
  ],
});

export const sparkFlag = flag(toggle, "Output", {
  summary: "a column with the price's last 24 hours",
  details: ": 24h, 6h, 1h and 5m ago and now, as bars",
});

type PictureFlags = Values<{ readonly chart: typeof chartFlag; readonly spark: typeof sparkFlag }>;

/** `--chart` or `--spark`; both are for people, so formats for programs reject them. */
export function readPicture({
  chart,
  spark,
  output,
}: Partial<PictureFlags & Values<Pick<typeof sharedFlags, "output">>>): Picture | undefined {
  const picture = chart === true ? "chart" : spark === true ? "spark" : undefined;
  if (picture === undefined) return undefined;
  const isForPeople =
    output === undefined || output === "table" || (output === "wide" && picture === "spark");
  if (isForPeople) return picture;
  throw usageFailure(
    output === "wide"
      ? "--chart and --output wide: a chart has no columns of values"
      : `--${picture} and --output ${output}: a picture is for a person, ${output} for a program`,
    next,
  );
}
