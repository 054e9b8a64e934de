import { isUtf8 } from "node:buffer";
import type { RecordShape } from "../../api/record.ts";
import { counted } from "../../base/text/words.ts";
import { PlainRows } from "./plain-rows.ts";
import { parseJsonRow, type Row, rowOf, type Unreadable } from "./row.ts";

export interface RowReader {
  readonly add: (chunk: Buffer) => void;
  readonly end: () => void;
  /** False if the rest of the file cannot be divided into rows. */
  readonly isReading: () => boolean;
}

/** Returns the contract that the row meets; undefined if it does not meet one. */
export type TakeRow = (row: Row | Unreadable) => RecordShape | undefined;

/** In bytes. Rows of the service have at most a few thousand. */
const longestRow = 16 * 1024 * 1024;
const tooLong = "a row of at most 16 MiB";
const [TAB, NEWLINE] = [9, 10];
/** As Excel writes it. */
const byteOrderMark = "\uFEFF";

/** `open` receives complete lines, and returns a function that reads the line at an index and returns its end. */
function createLineReader(
  open: (lines: Buffer) => (start: number, line: number) => number,
  take: TakeRow,
): RowReader {
  let rest: Buffer[] = [];
  let restLength = 0;
  let line = 1;
  let isReading = true;
  const addLines = (lines: Buffer): void => {
    const readLine = open(lines);
    for (let start = 0; start < lines.length; line += 1) start = readLine(start, line) + 1;
  };
  return {
    isReading: () => isReading,
    add: (chunk) => {
      const begin = restLength === 0 ? 0 : chunk.indexOf(NEWLINE) + 1;
      if (begin > 0) {
        const first = Buffer.concat([...rest, chunk.subarray(0, begin)]);
        [rest, restLength] = [[], 0];
        addLines(first);
      }
      const end = restLength === 0 ? chunk.lastIndexOf(NEWLINE) + 1 : 0;
      if (end > begin) addLines(chunk.subarray(begin, end));
      if (end === chunk.length) return;
      // A copy, so that a few bytes do not keep the chunk in memory.
      rest.push(Buffer.from(chunk.subarray(end)));
      restLength += chunk.length - end;
      if (restLength <= longestRow) return;
      isReading = false;
      take({ line, expected: tooLong, found: "a longer line" });
    },
    end: () => {
      if (restLength > 0)
        take({ line, expected: "a line break after the last row", found: "an incomplete line" });
    },
  };
}

export function createNdjsonReader(take: TakeRow): RowReader {
  const plain = new PlainRows();
  /** Whether the fields of `--prefix` and a tab precede each row. The first line decides for all of them. */
  let hasPrefix = false;
  return createLineReader((bytes) => {
    plain.open(bytes);
    return (start, line) => {
      if (line === 1) hasPrefix = bytes[rowAfterTab(bytes, start)] === OPEN_OBJECT;
      const from = hasPrefix ? rowAfterTab(bytes, start) : start;
      const plainEnd = plain.moveTo(from, line);
      if (plainEnd >= 0) {
        take(plain);
        return plainEnd;
      }
      const end = bytes.indexOf(NEWLINE, start);
      if (hasPrefix && from === end) {
        take({ line, expected: "a prefix and a tab before the row, as in line 1", found: "no tab" });
        return end;
      }
      const text = bytes.subarray(from, end);
      const shape = take(decoded(text, line, parseJsonRow));
      if (shape !== undefined) plain.learn(text, shape);
      return end;
    };
  }, take);
}

/** Returns where the row begins: after the first tab, because prefixes contain none. The end of a line without a tab. */
function rowAfterTab(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(NEWLINE, start);
  const tab = bytes.subarray(start, end).indexOf(TAB);
  return tab < 0 ? end : start + tab + 1;
}

export function createCellReader(form: "csv" | "tsv", take: TakeRow): RowReader {
  let names: readonly string[] | undefined;
  let header = "";
  const empty = form === "tsv" ? String.raw`\N` : "";
  const rowFrom = (written: string, line: number): Row | Unreadable | undefined => {
    // Other programs end lines with CRLF. A cell of dexdata has no bare CR, because line breaks are escaped.
    const text = (written.endsWith("\r") ? written.slice(0, -1) : written).replace(
      line === 1 ? byteOrderMark : "",
      "",
    );
    // Two files were joined, e.g. with cat. A single cell may be a token with the name of its column.
    if (names !== undefined && names.length > 1 && text === header)
      return { line, expected: "a row", found: "the header again" };
    const cells = form === "tsv" ? text.split("\t") : csvCells(text);
    if (cells === undefined) return { line, expected: "cells as in RFC 4180", found: "an unpaired quote" };
    if (names === undefined) {
      [names, header] = [cells, text];
      return undefined;
    }
    const expected = `${counted(names.length, "cell")}, as in the header`;
    if (cells.length !== names.length) return { line, expected, found: counted(cells.length, "cell") };
    const known = names.map((name, index) => [name, cells[index] ?? ""] as const);
    return rowOf(Object.fromEntries(known.filter(([, cell]) => cell !== empty)), line, () => undefined);
  };
  const reader = createLineReader(
    (bytes) => (start, line) => {
      const end = bytes.indexOf(NEWLINE, start);
      const row = decoded(bytes.subarray(start, end), line, rowFrom);
      if (row !== undefined) take(row);
      return end;
    },
    take,
  );
  return {
    ...reader,
    end: () => {
      reader.end();
      if (names === undefined)
        take({ line: 1, expected: "a header line with the names of the columns", found: "no line" });
    },
  };
}

/** Parses the text of a row if it is UTF-8. */
function decoded<T>(bytes: Buffer, line: number, parse: (text: string, line: number) => T): T | Unreadable {
  if (!isUtf8(bytes)) return { line, expected: "UTF-8", found: "invalid bytes" };
  return parse(bytes.toString("utf8"), line);
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/gy;

/** Undefined if a quote is unpaired. dexdata escapes line breaks in cells, so a line is a row. */
function csvCells(text: string): readonly string[] | undefined {
  if (!text.includes('"')) return text.split(",");
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (;;) {
    const match = CELL.exec(text);
    if (match === null) return undefined;
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (!match[0].endsWith(",")) return cells;
    // A comma at the end is followed by an empty cell.
    if (CELL.lastIndex === text.length) return [...cells, ""];
  }
}

const [QUOTE, COMMA, BACKSLASH] = [34, 44, 92];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
const blanks = new Set([9, 10, 13, 32]);

/** Reads one array of objects, or a series of objects. */
export function createElementReader(take: TakeRow): RowReader {
  let line = 0;
  /** Undefined before the first byte. */
  let isArray: boolean | undefined;
  let [depth, isString, isEscaped] = [0, false, false];
  let expects: "value" | "value or end" | "comma or end" | "nothing" = "value or end";
  let isReading = true;
  let held: Buffer[] = [];
  let heldLength = 0;
  const fail = (expected: string, found: string): void => {
    isReading = false;
    take({ line: line + 1, expected, found });
  };
  const between = (byte: number): void => {
    if (blanks.has(byte)) return;
    if (isArray === undefined && byte === OPEN_ARRAY) isArray = true;
    else if (byte === OPEN_OBJECT && expects.startsWith("value")) {
      isArray ??= false;
      depth = 1;
    } else if (isArray === true && byte === COMMA && expects === "comma or end") expects = "value";
    else if (isArray === true && byte === CLOSE_ARRAY && expects.endsWith("end")) expects = "nothing";
    else fail("an array of JSON objects", "invalid JSON");
  };
  const inside = (byte: number): void => {
    if (isEscaped) isEscaped = false;
    else if (isString) {
      if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) isString = false;
    } else if (byte === QUOTE) isString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
  };
  const finish = (last: Buffer): void => {
    const bytes = held.length === 0 ? last : Buffer.concat([...held, last]);
    [held, heldLength] = [[], 0];
    line += 1;
    expects = isArray === true ? "comma or end" : "value or end";
    take(decoded(bytes, line, parseJsonRow));
  };
  return {
    isReading: () => isReading,
    add: (chunk) => {
      let start = 0;
      for (let index = 0; index < chunk.length; index += 1) {
        if (!isReading) return;
        const byte = chunk[index] ?? 0;
        if (depth > 0) {
          inside(byte);
          if (depth === 0) finish(chunk.subarray(start, index + 1));
        } else {
          start = index;
          between(byte);
        }
      }
      if (depth === 0 || !isReading) return;
      held.push(chunk.subarray(start));
      heldLength += chunk.length - start;
      if (heldLength > longestRow) fail(tooLong, "a longer row");
    },
    end: () => {
      if (depth > 0 || (isArray === true && expects !== "nothing") || isArray === undefined)
        fail("a complete JSON document", "the end is missing");
    },
  };
}
