import { isUtf8 } from "node:buffer";
import { isObject, rawMembers } from "../json/raw-json.ts";

/** One row of a file. */
export interface Row {
  readonly line: number;
  /** In csv and tsv, all values are text, and empty cells are omitted. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The text of a value, with all digits of a number. */
  readonly exact: (name: string) => string | undefined;
}

export type Form = "ndjson" | "json" | "csv" | "tsv";

/** What the reader found wrong with a row, which it then skips, or with the end of the file. */
export interface Unreadable {
  readonly line: number;
  readonly expected: string;
  readonly found: string;
}

export interface RowReader {
  readonly add: (chunk: Buffer) => void;
  readonly end: () => void;
  /** False if the rest of the file cannot be divided into rows. */
  readonly isReading: () => boolean;
}

/** In bytes. Rows of the service have at most a few thousand. */
const longestRow = 16 * 1024 * 1024;
const NEWLINE = 10;
const tooLong = "a row of at most 16 MiB";

/** Divides the chunks of a file into rows. */
export function createRowReader(
  form: Form,
  take: (row: Row) => void,
  refuse: (problem: Unreadable) => void,
): RowReader {
  if (form === "json") return createElementReader(take, refuse);
  return createLineReader(
    form === "ndjson" ? (text, line) => addJson(text, line, take, refuse) : cellReader(form, take, refuse),
    refuse,
  );
}

function createLineReader(
  addLine: (text: string, line: number) => void,
  refuse: (problem: Unreadable) => void,
): RowReader {
  let rest: Buffer[] = [];
  let restLength = 0;
  let line = 0;
  let isReading = true;
  const finish = (last: Buffer): void => {
    const bytes = rest.length === 0 ? last : Buffer.concat([...rest, last]);
    [rest, restLength] = [[], 0];
    line += 1;
    if (isUtf8(bytes)) addLine(bytes.toString("utf8"), line);
    else refuse({ line, expected: "UTF-8", found: "invalid bytes" });
  };
  return {
    isReading: () => isReading,
    add: (chunk) => {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        finish(chunk.subarray(start, end));
        start = end + 1;
      }
      if (start === chunk.length) return;
      rest.push(chunk.subarray(start));
      restLength += chunk.length - start;
      if (restLength <= longestRow) return;
      isReading = false;
      refuse({ line: line + 1, expected: tooLong, found: "a longer line" });
    },
    end: () => {
      if (restLength > 0)
        refuse({ line: line + 1, expected: "a line break after the last row", found: "an incomplete line" });
    },
  };
}

function addJson(
  text: string,
  line: number,
  take: (row: Row) => void,
  refuse: (problem: Unreadable) => void,
): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse({ line, expected: "a JSON object", found: text.trim() === "" ? "an empty line" : "invalid JSON" });
    return;
  }
  if (!isObject(value)) {
    refuse({ line, expected: "a JSON object", found: "another JSON value" });
    return;
  }
  let members: ReadonlyMap<string, string> | undefined;
  const exact = (name: string): string | undefined => (members ??= rawMembers(text)).get(name);
  take({ line, values: value, exact });
}

function cellReader(
  form: "csv" | "tsv",
  take: (row: Row) => void,
  refuse: (problem: Unreadable) => void,
): (text: string, line: number) => void {
  let names: readonly string[] | undefined;
  const nothing = form === "tsv" ? String.raw`\N` : "";
  return (text, line) => {
    const cells = form === "tsv" ? text.split("\t") : csvCells(text);
    if (cells === undefined)
      return refuse({ line, expected: "cells as in RFC 4180", found: "an unpaired quote" });
    if (names === undefined) {
      names = cells;
      return undefined;
    }
    if (cells.length !== names.length) {
      const found = `${cells.length} cells`;
      return refuse({ line, expected: `${names.length} cells, as in the header`, found });
    }
    const known = names.flatMap((name, index): (readonly [string, string])[] => {
      const cell = cells[index] ?? "";
      return cell === nothing ? [] : [[name, cell]];
    });
    const values: Readonly<Record<string, string>> = Object.fromEntries(known);
    return take({ line, values, exact: (name) => values[name] });
  };
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
function createElementReader(take: (row: Row) => void, refuse: (problem: Unreadable) => void): RowReader {
  let line = 0;
  /** Undefined before the first byte. */
  let isArray: boolean | undefined;
  let [depth, isString, isEscaped] = [0, false, false];
  let expects: "value" | "value or end" | "comma or end" | "nothing" = "value or end";
  let isReading = true;
  const hasFailed = (): boolean => !isReading;
  let held: Buffer[] = [];
  let heldLength = 0;
  const fail = (expected: string, found: string): void => {
    isReading = false;
    refuse({ line: line + 1, expected, found });
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
    if (isUtf8(bytes)) addJson(bytes.toString("utf8"), line, take, refuse);
    else refuse({ line, expected: "UTF-8", found: "invalid bytes" });
  };
  return {
    isReading: () => isReading,
    add: (chunk) => {
      let start = 0;
      for (let index = 0; index < chunk.length; index += 1) {
        if (hasFailed()) return;
        const byte = chunk[index] ?? 0;
        if (depth > 0) {
          inside(byte);
          if (depth === 0) finish(chunk.subarray(start, index + 1));
        } else {
          start = index;
          between(byte);
        }
      }
      if (depth === 0 || hasFailed()) return;
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
