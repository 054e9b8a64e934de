export const outputFormats = ["table", "wide", "ndjson", "json", "csv", "tsv"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** A wide table is a table. */
export type RowFormat = Exclude<OutputFormat, "wide">;

/** Values with commas or tabs between them. */
export type Separated = "csv" | "tsv";

export function isSeparated(format: string): format is Separated {
  return format === "csv" || format === "tsv";
}

/** What a file called `x.csv` or `x.json` is expected to hold, where nothing else says it; undefined for other names. */
export function formatByName(file: string | undefined): Separated | "json" | undefined {
  const extension = /\.(\w+)$/u.exec(file ?? "")?.[1]?.toLowerCase() ?? "";
  return extension === "json" || isSeparated(extension) ? extension : undefined;
}

/** Whether rows are shown under an endpoint's columns, and not whole. */
export function hasColumns(format: RowFormat): boolean {
  return format === "table" || isSeparated(format);
}

export type ErrorFormat = "text" | "json";

/** Of an error on stderr, unless it is said: JSON where a program reads both streams, and the output is JSON too. */
export function usualErrorFormat(output: string, isSeen: boolean): ErrorFormat {
  return !isSeen && (output === "json" || output === "ndjson") ? "json" : "text";
}
