import { usageFailure } from "../../contract/failure.ts";
import type { Flag, FlagValues } from "./flags.ts";
import { readText } from "./read-flag.ts";

/** What is drawn in place of rows, or beside them. */
export type Picture = "chart" | "spark";

export const chartFlag: Flag = {
  name: "chart",
  help: "draw candles and volume instead of rows; fitted to the window",
  group: "Output",
};

export const sparkFlag: Flag = {
  name: "spark",
  help: "a column with the price's last 24 hours: 24h, 6h, 1h and 5m ago and now, as bars",
  group: "Output",
};

/** `--chart` or `--spark`; each is for a person, so it goes with no format for programs. */
export function readPicture(flags: FlagValues): Picture | undefined {
  const picture = (["chart", "spark"] as const).find((name) => flags[name] === true);
  if (picture === undefined) return undefined;
  const output = readText(flags, "output");
  const isForPeople =
    output === undefined || output === "table" || (output === "wide" && picture === "spark");
  if (!isForPeople)
    throw usageFailure(
      output === "wide"
        ? "--chart and --output wide: a chart has no columns of values"
        : `--${picture} and --output ${output}: a picture is for a person, ${output} for a program`,
      "leave out one of them",
    );
  if (picture === "spark") return picture;
  const ofColumns = ["fields", "columns", "no-header"].find((name) => flags[name] !== undefined);
  if (ofColumns !== undefined)
    throw usageFailure(
      `--chart and --${ofColumns}: a chart has no columns of values`,
      "leave out one of them",
    );
  if (flags["resume"] === true)
    throw usageFailure(
      "--chart and --resume: a chart is drawn when all candles are there, so none can be gone on with",
      "leave out --resume",
    );
  return picture;
}
