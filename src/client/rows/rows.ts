import { member } from "../../json/raw-json.ts";
import { addText, beginHash, endHash, type TextHash } from "../../text/text-hash.ts";

/** The rows of one response, in order. Each form is created only on request: most rows are output unchanged. */
export interface Rows {
  readonly length: number;
  /** The service's own text of one row, and of all. */
  readonly text: (index: number) => string;
  readonly texts: () => readonly string[];
  /** The rows parsed, for the program's own use; long integers are rounded here. */
  readonly values: () => readonly object[];
  /** At least the identity and the time of each row, parsed. */
  readonly marks: () => readonly object[];
  /** The hash of the row's identity, each value as JSON; false if any of them is missing. */
  readonly hashKey: (index: number, into: TextHash) => boolean;
  /** The marked rows. */
  readonly keep: (kept: readonly boolean[]) => Rows;
  /** As NDJSON, if they can be output unchanged: compact, and without characters that act on a terminal. */
  readonly lines: () => Uint8Array | undefined;
}

/** A row as text and parsed. */
export interface TextRow {
  readonly row: string;
  readonly value: object;
}

/** `identity`: the fields that identify a row. */
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
        // A row without a complete identity cannot be a repeat.
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
