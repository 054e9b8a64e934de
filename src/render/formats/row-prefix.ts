import type { ByteStore } from "../../client/streams/byte-store.ts";
import { type RowShape, rowShape } from "../../contract/endpoint.ts";
import { invalidInput, usageFailure } from "../../contract/failure.ts";
import { compactJson, escapeJsonText } from "../../json/json-text.ts";
import { createPathReader } from "../../json/path-reader.ts";
import { fieldPaths } from "../../contract/field-paths.ts";
import { nearestPath } from "./missing-fields.ts";
import { fieldAt } from "../values/value-at.ts";
import type { Presentation } from "../renderer.ts";
import { splitPath } from "./row-text.ts";

const [TAB, LF, QUOTE, COMMA, COLON, CLOSE_OBJECT] = [0x09, 0x0a, 0x22, 0x2c, 0x3a, 0x7d];
const [OPEN_OBJECT, OPEN_ARRAY, BACKSLASH, FIRST_OF_NULL] = [0x7b, 0x5b, 0x5c, 0x6e];

const UNICODE_ESCAPE = Buffer.from("\\u");

export type RowPrefix = ReturnType<typeof createRowPrefix>;

/** Unlike in `--fields`, an unknown field is an error: an empty key would send every row to one place. */
export function checkPrefix(
  options: Pick<Presentation, "prefix" | "format">,
  { endpoint, groups }: Pick<Presentation, "endpoint" | "groups">,
): void {
  const { prefix } = options;
  if (prefix === undefined) return;
  checkPrefixFormat(options);
  for (const group of groups) checkPrefixFields(prefix, rowShape(endpoint, group));
}

export function checkPrefixFormat({ prefix, format }: Pick<Presentation, "prefix" | "format">): void {
  if (prefix === undefined || format === "ndjson") return;
  throw usageFailure(
    `--prefix cannot be used with --output ${format}: it requires ndjson`,
    "add -o ndjson, or remove --prefix",
  );
}

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
      const near = nearestPath(path, known);
      throw invalidInput(label, "must be a field of every row", near ? `did you mean ${near}?` : hint);
    }
    if ("record" in field.type || path.split(".").includes("*"))
      throw invalidInput(label, "must be a field with a single value");
  }
}

/** Returns the texts of the fields, joined by colons, and a tab. No text contains a tab or a line break. */
export function createRowPrefix(fields: readonly string[]) {
  const read = createPathReader(fields.map(splitPath));
  const finder = fields.some((field) => field.includes(".")) ? undefined : createFieldFinder(fields);
  const ofText = (row: string): string => escapeJsonText(`${read(row).map(fieldText).join(":")}\t`);
  /** Adds the prefix of a compact row that contains only characters that are safe to print. */
  const addOfBytes = (bytes: Buffer, start: number, end: number, to: ByteStore): void => {
    const spans = finder?.find(bytes, start, end);
    if (spans === undefined) {
      to.add(Buffer.from(ofText(bytes.toString("utf8", start, end))));
      return;
    }
    for (let at = 0; at < spans.length; at += 2) {
      if (at > 0) to.addByte(COLON);
      to.addPart(bytes, spans[at] ?? 0, spans[at + 1] ?? 0);
    }
    to.addByte(TAB);
  };
  return {
    ofText,
    /** Call this before the rows of other buffers. */
    begin: () => finder?.begin(),
    addOfBytes,
    /** `lines` contains complete rows, each of which ends with a line break. */
    addToLines: (rows: Uint8Array, to: ByteStore): void => {
      finder?.begin();
      const lines = Buffer.from(rows.buffer, rows.byteOffset, rows.length);
      for (let start = 0; start < lines.length;) {
        const end = lines.indexOf(LF, start);
        addOfBytes(lines, start, end, to);
        to.addLine(lines, start, end);
        start = end + 1;
      }
    },
  };
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

/**
 * Finds the values of members of an object by searching for `"name":`, which is several times as fast as scanning each
 * row. After a comma or an opening brace, every such match is a name, and without `\u`, no name is disguised. Returns
 * undefined unless each name occurs exactly once, before any nested value; the row then has to be read in full. The rows of
 * a buffer must be passed in order.
 */
function createFieldFinder(names: readonly string[]) {
  // Quotes are the most frequent bytes of a row, so a search for a needle that begins with one is slow.
  const keys = names.map((name) => Buffer.from(`${name}":`));
  const spans: number[] = [];
  let bytes: Buffer | undefined;
  /** The next occurrence of each of these at or after the previous row; the length of the buffer if there is none. */
  const unicode = { at: 0 };
  const found = keys.map(() => ({ at: 0 }));
  const next = (known: { at: number }, needle: Buffer, from: number): number => {
    if (known.at >= from || bytes === undefined) return known.at;
    for (let at = bytes.indexOf(needle, from); ; at = bytes.indexOf(needle, at + 1)) {
      // A name begins with a quote; the other needle begins with a backslash.
      if (at >= 0 && needle !== UNICODE_ESCAPE && bytes[at - 1] !== QUOTE) continue;
      known.at = at < 0 ? bytes.length : at;
      return known.at;
    }
  };
  /** Memory may be reused for other rows. */
  const begin = (): void => {
    bytes = undefined;
  };
  const find = (row: Buffer, start: number, end: number): readonly number[] | undefined => {
    if (row !== bytes) {
      bytes = row;
      for (const known of [unicode, ...found]) known.at = -1;
    }
    if (next(unicode, UNICODE_ESCAPE, start) < end) return undefined;
    for (let index = 0; index < keys.length; index += 1) {
      const [key, known] = [keys[index], found[index]];
      if (key === undefined || known === undefined) return undefined;
      const at = next(known, key, start);
      if (at >= end || next(known, key, at + 1) < end) return undefined;
      const before = row[at - 2];
      if ((before !== COMMA && before !== OPEN_OBJECT) || opensBefore(row, start + 1, at)) return undefined;
      let from = at + key.length;
      let to = from;
      const first = row[from];
      if (first === QUOTE) {
        from += 1;
        for (to = from; row[to] !== QUOTE; to += 1) if (row[to] === BACKSLASH) return undefined;
      } else if (first === OPEN_OBJECT || first === OPEN_ARRAY) return undefined;
      else if (first !== FIRST_OF_NULL) while (row[to] !== COMMA && row[to] !== CLOSE_OBJECT) to += 1;
      spans[2 * index] = from;
      spans[2 * index + 1] = to;
    }
    return spans;
  };
  return { begin, find };
}

/** Fields are usually in front, so this loop is shorter than a search. */
function opensBefore(row: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (row[at] === OPEN_OBJECT || row[at] === OPEN_ARRAY) return true;
  return false;
}
