/** In the order used in help. The code compiles only if each value has a format in `render/formats`. */
export const outputFormats = ["table", "wide", "ndjson", "json", "csv", "tsv"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** The formats for rows. `wide` is not listed separately, because it is also a table. */
export type RowFormat = Exclude<OutputFormat, "wide">;

export type ErrorFormat = "text" | "json";
