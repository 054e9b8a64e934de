/**
 * The values of `-o`, in the order used in help. Each one has a file in `render/formats`. The code compiles only if
 * every value has a format and every format has a value.
 */
export const outputFormats = ["table", "wide", "ndjson", "json", "csv", "tsv"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** The formats of rows. `wide` is not listed separately, because it is also a table. */
export type RowFormat = Exclude<OutputFormat, "wide">;

export type ErrorFormat = "text" | "json";
