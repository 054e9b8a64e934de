export const outputFormats = ["table", "ndjson", "json", "csv", "tsv"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Values with commas or tabs between them. */
export type Separated = "csv" | "tsv";

export function isSeparated(format: string): format is Separated {
  return format === "csv" || format === "tsv";
}

/** Whether rows are shown under an endpoint's columns, and not whole. */
export function hasColumns(format: OutputFormat): boolean {
  return format === "table" || isSeparated(format);
}
