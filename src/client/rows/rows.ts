import { member } from "../../json/own-member.ts";
import { addText, beginHash, endHash, type TextHash } from "../../text/text-hash.ts";

/** The rows of one answer, in its order. What nobody asks for is not made: most rows go out as they came. */
export interface Rows {
  readonly length: number;
  /** The service's own text of one row; of all. */
  readonly text: (index: number) => string;
  readonly texts: () => readonly string[];
  /** The rows parsed, for what the program itself must read; long integers are rounded here. */
  readonly values: () => readonly object[];
  /** Of each no more for certain than what tells it from others and when it was, parsed. */
  readonly marks: () => readonly object[];
  /** The hash of what tells the row from others, each value as JSON; false where it lacks any of it. */
  readonly hashKey: (index: number, into: TextHash) => boolean;
  /** Those of them that are marked. */
  readonly keep: (kept: readonly boolean[]) => Rows;
  /** As NDJSON, where they may go out as they came: compact, and nothing in them acts on a terminal. */
  readonly lines: () => Uint8Array | undefined;
}

/** A row as text and parsed. */
export interface TextRow {
  readonly row: string;
  readonly value: object;
}

/** `identity`: the fields that tell two rows apart. */
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
        // A row without what tells it apart cannot be called a repeat.
        if (value === undefined) return false;
        addText(into, JSON.stringify(value));
      }
      endHash(into);
      return identity.length > 0;
    },
    keep: (kept) =>
      textRows(
        rows.filter((_, index) => kept[index]),
        identity,
      ),
    lines: () => undefined,
  };
}
