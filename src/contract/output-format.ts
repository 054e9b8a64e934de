/**
 * The words of `-o`, in the order of help. What each is stands in `render/formats`, one file a format: a word without one
 * does not compile, nor does a format without a word.
 */
export const outputFormats = ["table", "wide", "ndjson", "json", "csv", "tsv"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** A wide table is a table. */
export type RowFormat = Exclude<OutputFormat, "wide">;

export type ErrorFormat = "text" | "json";
