import type { ByteStore } from "../../../base/byte-store.ts";
import { fieldPaths, type RowShape } from "../../../api/endpoint.ts";
import { fieldAt, splitPath } from "../../../api/record.ts";
import { invalidInput, usageFailure } from "../../../base/failure.ts";
import type { LocatedRows, Rows } from "../../../client/rows.ts";
import { noteText } from "../../../base/json/field-finder.ts";
import { compactJson, escapeJsonText } from "../../../base/json/json-text.ts";
import { createPathReader } from "../../../base/json/path-reader.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import { nearestPath } from "./missing-fields.ts";
import type { Presentation } from "../renderer.ts";

const [TAB, COLON, BACKSLASH] = [0x09, 0x3a, 0x5c];

export type RowPrefix = ReturnType<typeof createRowPrefix>;

export function checkPrefixFormat({ prefix, format }: Pick<Presentation, "prefix" | "format">): void {
  if (prefix === undefined || format === "ndjson") return;
  throw usageFailure(
    `--prefix requires ndjson, but the output is ${format}`,
    "add -o ndjson, or remove --prefix",
  );
}

/** Unlike in `--fields`, an unknown field is an error: an empty key would send every row to one place. */
export function checkPrefixFields(
  prefix: readonly string[],
  shape: Pick<RowShape, "record" | "added">,
  hint = "list fields: --fields '?'",
): void {
  for (const path of prefix) {
    const field = fieldAt({ ...shape.record, ...shape.added?.record }, splitPath(path));
    const label = `--prefix "${path}"`;
    if (field === undefined) {
      const known = fieldPaths(shape).map((each) => each.path);
      throw invalidInput(label, "must be a field of every row", didYouMean(nearestPath(path, known), hint));
    }
    if ("record" in field.type || path.split(".").includes("*"))
      throw invalidInput(label, "must be a field with a single value");
  }
}

/** Returns the texts of the fields, joined by colons, and a tab. No text contains a tab or a line break. */
export function createRowPrefix(fields: readonly string[]) {
  const read = createPathReader(fields.map(splitPath));
  const ofText = (row: string): string => escapeJsonText(`${read(row).map(fieldText).join(":")}\t`);
  /**
   * Adds the prefix of a compact row that contains only characters that are safe to print. `texts` are those that a
   * `FieldFinder` has found for the same fields.
   */
  const addOfBytes = (
    bytes: Buffer,
    start: number,
    end: number,
    texts: readonly number[] | undefined,
    to: ByteStore,
    first = 0,
  ): void => {
    if (texts === undefined) {
      to.add(Buffer.from(ofText(bytes.toString("utf8", start, end))));
      return;
    }
    for (let at = first; at < first + 2 * fields.length; at += 2) {
      if (at > first) to.addByte(COLON);
      to.addPart(bytes, texts[at] ?? 0, texts[at + 1] ?? 0);
    }
    to.addByte(TAB);
  };
  return {
    ofText,
    addOfBytes,
    /** Adds rows and their prefixes. Returns false if the rows are not bytes that can be written as they are. */
    addRows: (rows: Rows, to: ByteStore): boolean => {
      const located = rows.lines() && rows.locate(fields);
      if (located === undefined) return false;
      const { bytes, spans, stride } = located;
      const texts: number[] = [];
      for (let row = 0; row < spans.length; row += stride) {
        const [start, end] = [spans[row] ?? 0, spans[row + 1] ?? 0];
        addOfBytes(bytes, start, end, readTexts(located, row, texts) ? texts : undefined, to);
        to.addLine(bytes, start, end);
      }
      return true;
    },
  };
}

/** Returns false if a value has escapes. A nested one is compact, as its row is. */
function readTexts({ bytes, spans, places }: LocatedRows, row: number, texts: number[]): boolean {
  for (let index = 0; index < places.length; index += 1) {
    const at = row + (places[index] ?? 0);
    const [from, to] = [spans[at] ?? -1, spans[at + 1] ?? -1];
    for (let each = from; each < to; each += 1) if (bytes[each] === BACKSLASH) return false;
    noteText(bytes, from, to, index, texts);
  }
  return true;
}

function fieldText(value: string | undefined): string {
  if (value === undefined || value === "null") return "";
  if (value.startsWith("{") || value.startsWith("[")) return compactJson(value);
  if (!value.startsWith('"')) return value;
  const text = value.slice(1, -1);
  if (!text.includes("\\")) return text;
  const decoded: unknown = JSON.parse(value);
  return String(decoded).replaceAll(
    CONTROLS,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** With the backslash, so that `\u0009` in a name differs from an escaped tab. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\\]/gu;
