import { member } from "../../json/raw-json.ts";
import { addText, beginHash, endHash, type TextHash } from "../../text/text-hash.ts";

/**
 * The rows of one response, in order. Each form is created only when requested, because most rows are output unchanged.
 */
export interface Rows {
  readonly length: number;
  /** The original text of one row, and of all rows. */
  readonly text: (index: number) => string;
  readonly texts: () => readonly string[];
  /** The parsed rows, for internal use only; large integers lose precision here. */
  readonly values: () => readonly object[];
  /** Parsed objects that contain at least the identity and the time of each row. */
  readonly marks: () => readonly object[];
  /** Hashes the identity of a row, with each value as JSON. Returns false if a value is missing. */
  readonly hashKey: (index: number, into: TextHash) => boolean;
  /** Returns the rows whose entry in `kept` is true. */
  readonly keep: (kept: readonly boolean[]) => Rows;
  /**
   * The rows as NDJSON, if they can be output unchanged: they are compact and contain no terminal control characters.
   */
  readonly lines: () => Uint8Array | undefined;
}

/** A row both as text and as a parsed object. */
export interface TextRow {
  readonly row: string;
  readonly value: object;
}

/** Wraps rows that are available as text. `identity` lists the fields that identify a row. */
export function textRows(rows: readonly TextRow[], identity: readonly string[] = []): Rows {
  return {
    length: rows.length,
    text: (index) => rows[index]?.row ?? "",
    texts: () => rows.map(({ row }) => row),
    values: () => rows.map(({ value }) => value),
    marks: () => rows.map(({ value }) => value),
    hashKey: (index, into) => {
      beginHash(into);
      for (const field of identity) {
        const value = member(rows[index]?.value, field);
        // Without a complete identity, a row cannot be recognized as a repeat.
        if (value === undefined) return false;
        addText(into, JSON.stringify(value));
      }
      endHash(into);
      return identity.length > 0;
    },
    keep: (kept) => {
      const keptRows = rows.filter((_, index) => kept[index]);
      return textRows(keptRows, identity);
    },
    lines: () => undefined,
  };
}
