import { isObject, parseJson, rawMembers } from "../../base/json/json-scan.ts";
import { areSame } from "../../base/json/byte-scan.ts";
import { type TextBytes, toBytes } from "../../base/text/text-hash.ts";
import { createPlainTimes } from "../../base/time/plain-times.ts";
import { type Instant, parseRfc3339 } from "../../base/time/time.ts";
import { otherColumn } from "../parquet-format.ts";
import type { Mismatch } from "../verify-rules.ts";
import type { StoredColumn } from "../parquet/stored-column.ts";

/** One row of a file. It is valid until the next row is read. */
export interface Row {
  /** Starts at 1. */
  readonly line: number;
  /** A string without its quotes, or the JSON text of any other value, with all digits. */
  text(name: string): string | undefined;
  /** The UTF-8 bytes of `text`, which take less time than a string. They are valid until the next call. */
  find(name: string): TextBytes | undefined;
  /** Undefined if the reader has already compared the types with those of an earlier row. */
  readonly values: Values | undefined;
}

export type Values = Readonly<Record<string, unknown>>;

/** A row that cannot be read and is skipped, or the end of a file. */
export type Unreadable = Required<Pick<Mismatch, "line" | "expected" | "found">>;

/** Returns a row, or the reason why the text is not one. */
export function parseJsonRow(json: string, line: number): Row | Unreadable {
  const values = parseJson(json);
  if (values === undefined)
    return { line, expected: "a JSON object", found: json.trim() === "" ? "an empty line" : "invalid JSON" };
  if (!isObject(values)) return { line, expected: "a JSON object", found: "another JSON value" };
  let members: ReadonlyMap<string, string> | undefined;
  return rowOf(values, line, (name, value) =>
    Number.isSafeInteger(value) ? String(value) : (members ??= rawMembers(json)).get(name),
  );
}

/** `textOf` is not called for strings. */
export function rowOf(
  values: Values,
  line: number,
  textOf: (name: string, value: unknown) => string | undefined,
): Row {
  const text = (name: string): string | undefined => {
    if (!Object.hasOwn(values, name)) return undefined;
    const value = values[name];
    return typeof value === "string" ? value : textOf(name, value);
  };
  const find = (name: string): TextBytes | undefined => {
    const found = text(name);
    return found === undefined ? undefined : toBytes(found);
  };
  return { line, values, text, find };
}

/** A row of a Parquet file, whose columns have the types of the contract. */
export class ParquetRow implements Row {
  line = 0;
  readonly values = undefined;
  #all: readonly StoredColumn[] = [];
  #byName: ReadonlyMap<string, StoredColumn> = new Map();
  #nested: readonly StoredColumn[] = [];

  /** Returns false if the row has JSON, whose type must be checked. */
  moveTo(line: number, columns: readonly StoredColumn[]): boolean {
    this.line = line;
    if (columns !== this.#all) {
      this.#all = columns;
      this.#byName = new Map(columns.map((each) => [each.column.name, each]));
      this.#nested = columns.filter(
        ({ column: { type, name } }) => type === "json" && name !== otherColumn.name,
      );
    }
    return this.#nested.every(({ isNull }) => isNull);
  }

  text(name: string): string | undefined {
    return this.#byName.get(name)?.text();
  }

  find(name: string): TextBytes | undefined {
    return this.#byName.get(name)?.find();
  }
}

export interface Place {
  /** Undefined if the row has no valid time. */
  readonly time: Instant | undefined;
  /** The pool or token, as far as the row names it. */
  readonly asset: string;
}

export function createTimeReader(name: string): (row: Row) => Instant | undefined {
  const readPlain = createPlainTimes();
  return (row) => {
    const found = row.find(name);
    if (found === undefined) return undefined;
    const seconds = readPlain(found.view, found.from, found.to);
    return Number.isNaN(seconds) ? parseRfc3339(row.text(name) ?? "") : { seconds, fraction: "" };
  };
}

/** `assetFields` name the pool or token of a row, and the time in `timeField` orders the rows. */
export function createPlaceReader(
  assetFields: readonly string[],
  timeField: string | undefined,
): (row: Row) => Place {
  const timeOf = timeField === undefined ? () => undefined : createTimeReader(timeField);
  const [first = () => "", second] = assetFields.map(createRepeatedText);
  return (row) => {
    const asset = first(row);
    return { time: timeOf(row), asset: second === undefined ? asset : `${asset}:${second(row)}` };
  };
}

/** Most rows have the pool or token of the row above, and comparing bytes takes less time than creating a string. */
function createRepeatedText(name: string): (row: Row) => string {
  let last = "";
  let { view: bytes } = toBytes(last);
  return (row) => {
    const found = row.find(name);
    if (found === undefined) return "";
    const { view, from, to } = found;
    if (to - from === bytes.byteLength && areSame(bytes, 0, bytes.byteLength, view, from)) return last;
    last = row.text(name) ?? "";
    bytes = toBytes(last).view;
    return last;
  };
}
