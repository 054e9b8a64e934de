/**
 * The values of `-o`, in the order of help. Each has a file in `render/formats`: a value without a format does not
 * compile, and neither does a format without a value.
 */
export const outputFormats = ["table", "wide", "ndjson", "json", "csv", "tsv"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** A wide table is a table. */
export type RowFormat = Exclude<OutputFormat, "wide">;

export type ErrorFormat = "text" | "json";
