import {
  type ErrorFormat,
  namedFormat,
  type OutputFormat,
  outputFormats,
  type RowFormat,
} from "../../../api/output-format.ts";
import { usageFailure } from "../../../base/failure.ts";
import { nameWithoutGzip } from "../../../rows/out-file.ts";
import type { Presentation, Renderer, Format } from "../renderer.ts";
import { csv, tsv } from "./separated-format.ts";
import { json, ndjson } from "./json.ts";
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
  const [, extension] = /\.(\w+)$/u.exec(nameWithoutGzip(file ?? "")) ?? [];
  if (extension === undefined) return undefined;
  const ending = namedFormat(extension.toLowerCase());
  const found = outputFormats.find((word) => formats[word].ending === ending);
  return found === "wide" ? "table" : found;
}

interface Wanted<Word> {
  /** As typed. */
  readonly output: Word | undefined;
  readonly hasPicture: boolean;
  readonly out: string | undefined;
  /** From the environment or config.json. */
  readonly setting: Word | undefined;
}

/** Only a typed format and a picture take precedence over the extension of `--out`. */
export function chooseOutput<Word extends string>(
  { output, hasPicture, out, setting }: Wanted<Word>,
  isTerminal: boolean,
): Word | RowFormat {
  const named = formatByName(out);
  // On a terminal, only a stream gets here with a file. Its lines are NDJSON, no matter what the terminal shows.
  const isOfFile = named !== undefined && !(named === "ndjson" && isTerminal);
  return output ?? (hasPicture ? "table" : isOfFile ? named : setting) ?? (isTerminal ? "table" : "ndjson");
}

/** Formats that someone may expect because of the name, and that dexdata does not write. */
const otherEndings =
  /\.(?:xlsx?|ods|db|sqlite3?|duckdb|arrow|feather|avro|orc|xml|html|ya?ml|png|jpe?g|gif|webp|pdf|zip|7z|rar|tar|tgz|bz2|tbz2?|xz|txz|lzma|lz4|br|z)$/iu;

export function isOtherFormat(file: string): boolean {
  return otherEndings.test(nameWithoutGzip(file));
}

/** JSON if a program reads both streams and the output is JSON too. */
export function defaultErrorFormat(output: string, isSeen: boolean): ErrorFormat {
  return isSeen ? "text" : (formatNamed(output)?.errors ?? "text");
}

function formatNamed(word: unknown): Format | undefined {
  const known = outputFormats.find((each) => each === word);
  return known === undefined ? undefined : formats[known];
}

/** For runs whose output has no end. */
export function refuseClosed<Options extends { readonly format: RowFormat }>(
  options: Options,
  flag: string,
): Options {
  const { format } = options;
  if (!formats[format].isClosed) return options;
  throw usageFailure(
    `--output ${format} cannot be used with ${flag}: ${format} output is complete only when the run ends`,
    "use ndjson",
  );
}
