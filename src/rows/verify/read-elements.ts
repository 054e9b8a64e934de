import { decoded, longestRow, type RowReader, type RowTaker, tooLong } from "./read-lines.ts";
import { parseJsonRow } from "./row.ts";

const [QUOTE, COMMA, BACKSLASH] = [34, 44, 92];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
const blanks = new Set([9, 10, 13, 32]);

/** Reads one array of objects, or a series of objects. */
export function createElementReader({ take, refuse }: RowTaker): RowReader {
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
    const row = decoded(bytes, line, parseJsonRow);
    if ("found" in row) refuse(row);
    else take(row);
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
