import {
  type ErrorFormat,
  namedFormat,
  type OutputFormat,
  outputFormats,
  type RowFormat,
} from "../../../api/output-format.ts";
import { usageFailure } from "../../../base/failure.ts";
import { encoderByName, nameWithoutGzip } from "../../../rows/out-file.ts";
import type { Presentation, Renderer, Format, LocalLook, LocalRow } from "../renderer.ts";
import { createDocuments, createRowSelector, json, ndjson } from "./json.ts";

/** Output for programs does not need cli-table3 or colors, so the drawing code is loaded on first use. */
const table: Format = {
  summary:
    "For people, fitted to the terminal width; default on a terminal. Numbers are shortened, and addresses if necessary.",
  columns: "guessed",
  isClosed: false,
  errors: "text",
  createRenderer: createTable,
  local: drawLocal,
};

const wide: Format = {
  ...table,
  summary: "Like table, with every column, even beyond the terminal width",
};

async function createTable(presentation: Presentation): Promise<Renderer> {
  const { isWhole, chart, isRecord, columns } = presentation;
  if (isWhole) return createDocuments(presentation, true);
  if (chart !== undefined)
    return (await import("../chart/chart-view.ts")).createChartView(presentation, chart);
  return isRecord && columns === undefined
    ? (await import("../table/record-view.ts")).createRecordView(presentation)
    : (await import("../table/list-view.ts")).createListView(presentation);
}

async function drawLocal(rows: readonly LocalRow[], look: LocalLook): Promise<string> {
  const { drawLocalTable } = await import("../table/local-table.ts");
  if (!look.isRecord) return drawLocalTable(rows, look);
  const fields = rows.flatMap((record) => Object.entries(record));
  const lines = fields.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  return drawLocalTable(lines, { ...look, hasHeader: false });
}

const csv = separatedFormat(
  "csv",
  "RFC 4180 with LF; the fields of the table, unless --columns or --fields ('*': all) selects others. Null is an empty cell, and an " +
    `empty string is "". Text that looks like a formula gets a leading apostrophe; numbers do not.`,
);

const tsv = separatedFormat(
  "tsv",
  "Text format of PostgreSQL's COPY: \\N is null. Text that looks like a formula stays unchanged.",
);

/** A header line with the column names, then one line per row. */
function separatedFormat(name: "csv" | "tsv", summary: string): Format {
  return {
    summary,
    columns: "named",
    isClosed: false,
    errors: "text",
    createRenderer: async (presentation) => {
      const separated = await import("./separated-rows.ts");
      return separated.createSeparated(presentation, separated[name]);
    },
    local: async (rows, { hasHeader }) => {
      const separated = await import("./separated-rows.ts");
      return separated.localLines(rows, hasHeader, separated[name]);
    },
  };
}

/** Typed columns for DuckDB, Polars and others. Its code and its libraries are loaded on first use. */
const parquet: Format = {
  summary:
    "Typed columns for tools such as DuckDB: exact decimals for raw amounts, doubles for prices; only in pipes and files",
  columns: undefined,
  isClosed: true,
  errors: "text",
  binary: { stagedAs: "ndjson" },
  createRenderer: createParquet,
  local: refuseLocal,
};

function refuseLocal(): never {
  throw usageFailure("--output parquet: only data from the service has typed columns", "use json or ndjson");
}

async function createParquet({ output, fields, parquet: target }: Presentation): Promise<Renderer> {
  if (target === undefined) throw new Error("the columns of the rows are unknown");
  const { createParquetWriter } = await import("../../../rows/parquet-writer.ts");
  const writer = createParquetWriter({ ...target, write: output.write });
  const select = createRowSelector(fields);
  return {
    page: async ({ rows }) => await writer.add(rows.texts().map(select)),
    end: async () => {
      await writer.finish(target.receipt);
    },
  };
}

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
  const word = namedFormat(extension.toLowerCase());
  return outputFormats.filter((each) => each !== "table" && each !== "wide").find((each) => each === word);
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
    `${format} output cannot be used with ${flag}: it is complete only when the run ends`,
    "use -o ndjson",
  );
}

/** For runs that append lines to a file: gzip data cannot be repaired after a kill. */
export function checkAppendedFile(file: string, what: string): void {
  if (encoderByName(file) !== undefined)
    throw usageFailure(
      `--out "${file}": ${what} appends lines, so its files cannot be compressed`,
      "remove .gz, and compress the file when it is complete: gzip FILE",
    );
  if ((formatByName(file) ?? "ndjson") !== "ndjson")
    throw usageFailure(`--out "${file}": ${what} writes ndjson`, "use the extension .ndjson");
}
