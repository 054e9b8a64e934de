import {
  type ErrorFormat,
  type OutputFormat,
  outputFormats,
  type RowFormat,
} from "../../../api/output-format.ts";
import { nameWithoutGzip } from "../../../rows/encoder.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import { csv, tsv } from "./separated-format.ts";
import type { Format } from "../format.ts";
import { json } from "./json.ts";
import { ndjson } from "./ndjson.ts";
import { parquet } from "./parquet.ts";
import { table, wide } from "./table.ts";

/** The type requires an entry for every value of `-o`. */
export const formats: Readonly<Record<OutputFormat, Format>> = {
  table,
  wide,
  ndjson,
  json,
  csv,
  tsv,
  parquet,
};

export async function createRenderer(presentation: Presentation): Promise<Renderer> {
  return await formats[presentation.format].createRenderer(presentation);
}

export function hasColumns(format: RowFormat): boolean {
  return formats[format].columns !== undefined;
}

/** Whether the format has a header line, so that a later run can append rows below it. */
export function namesColumns(word: unknown): boolean {
  return formatNamed(word)?.columns === "named";
}

/** Returns the format for a name such as `x.csv` or `x.csv.gz`; undefined for unknown extensions. */
export function formatByName(file: string | undefined): RowFormat | undefined {
  const ending = /\.(\w+)$/u.exec(nameWithoutGzip(file ?? ""))?.[1]?.toLowerCase();
  if (ending === undefined) return undefined;
  const found = outputFormats.find((word) => formats[word].ending === ending);
  return found === "wide" ? "table" : found;
}

/** Formats that someone may expect because of the name, and that dexdata does not write. */
const otherEndings =
  /\.(?:xlsx?|ods|db|sqlite3?|duckdb|arrow|feather|avro|orc|xml|html|ya?ml|png|jpe?g|gif|webp|pdf)$/iu;

export function isOtherFormat(file: string): boolean {
  return otherEndings.test(file);
}

/** JSON if a program reads both streams and the output is JSON too. */
export function defaultErrorFormat(output: string, isSeen: boolean): ErrorFormat {
  return isSeen ? "text" : (formatNamed(output)?.errors ?? "text");
}

function formatNamed(word: unknown): Format | undefined {
  const known = outputFormats.find((each) => each === word);
  return known === undefined ? undefined : formats[known];
}
