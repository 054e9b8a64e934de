/** In the order used in help. A single object has all of these formats. */
export const objectFormats = ["table", "wide", "ndjson", "json"] as const;

/** Local rows have all of these formats. */
export const textFormats = [...objectFormats, "csv", "tsv"] as const;

/** The code compiles only if each value has a format in `render/formats`. */
export const outputFormats = [...textFormats, "parquet"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** The formats for rows. `wide` is not listed separately, because it is also a table. */
export type RowFormat = Exclude<OutputFormat, "wide">;

export type ErrorFormat = "text" | "json";

/** Names that other tools use, each with the format that it means. */
const otherNames: ReadonlyMap<string, OutputFormat> = new Map([
  ["jsonl", "ndjson"],
  ["json-lines", "ndjson"],
  ["jsonlines", "ndjson"],
  ["ldjson", "ndjson"],
]);

export const namedFormat = (word: string): string => otherNames.get(word.toLowerCase()) ?? word;
