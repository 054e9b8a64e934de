import { isObject, member } from "../base/json/json-scan.ts";
import { addText, beginHash, endHash, type TextHash } from "../base/text/text-hash.ts";

/** The rows in order. Each form is created only when requested, because most rows are output unchanged. */
export interface Rows {
  readonly length: number;
  readonly text: (index: number) => string;
  readonly texts: () => readonly string[];
  /** For internal use only; large integers lose precision here. */
  readonly values: () => readonly object[];
  /** Parsed objects that contain at least each row's identity and time. */
  readonly marks: () => readonly object[];
  /** Hashes a row's identity, with each value as JSON. Returns false if a value is missing. */
  readonly hashKey: (index: number, into: TextHash) => boolean;
  /** The different values of a field, at least one of them for each spelling. Bytes need the field to be located. */
  readonly distinct: (field: string) => readonly unknown[];
  readonly keep: (kept: readonly boolean[]) => Rows;
  /** Undefined if the rows are not compact or contain terminal control characters. */
  readonly lines: () => Uint8Array | undefined;
  /** Undefined unless the rows are bytes, and their fields were located when they were checked; see `Reading`. */
  readonly locate: (fields: readonly string[]) => LocatedRows | undefined;
}

export interface LocatedRows {
  readonly bytes: Buffer;
  /** For each row, its start and end, then those of each field's value; -1 if the field is missing. */
  readonly spans: readonly number[];
  /** The length of a row in `spans`. */
  readonly stride: number;
  /** For each requested field, where its start is within a row of `spans`. */
  readonly places: readonly number[];
}

export interface TextRow {
  readonly row: string;
  readonly value: object;
}

/** `identity` lists the fields that identify a row. */
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
    distinct: (field) => [...new Set(rows.map(({ value }) => member(value, field)))],
    keep: (kept) => {
      const keptRows = rows.filter((_, index) => kept[index]);
      return textRows(keptRows, identity);
    },
    lines: () => undefined,
    locate: () => undefined,
  };
}

export function parseRow(text: string): object {
  const row: unknown = JSON.parse(text);
  if (!isObject(row)) throw new TypeError("the row is not an object");
  return row;
}
