import { parquetHeader } from "hyparquet/src/column.js";
import { type TextBytes, toBytes } from "../../base/text/text-hash.ts";
import { canonicalText, type Cell, type StoredCell } from "./cells.ts";
import { memberKey, type ParquetColumn, UnreadableParquet } from "../parquet-format.ts";
import { decimalLength } from "./parquet-schema.ts";
import type { RowBytes } from "./row-bytes.ts";

/** A column of a row group that was read. Many columns repeat their value, which is then converted only once. */
export class StoredColumn {
  readonly column: ParquetColumn;
  readonly #cells: readonly StoredCell[];
  readonly #lines: RowBytes;
  readonly #key: Buffer;
  /** In the current row. */
  #cell: StoredCell = null;
  /** The member of the last converted row; empty if it has no value. */
  #from = 0;
  #to = 0;
  /** Undefined until it is needed. */
  #text: string | undefined;

  constructor(column: ParquetColumn, cells: readonly StoredCell[], lines: RowBytes) {
    this.column = column;
    this.#cells = cells;
    this.#lines = lines;
    this.#key = memberKey(column);
  }

  get isNull(): boolean {
    return this.#cell === null;
  }

  /** Moves to this row, and adds its member to the lines. */
  addMember(row: number): void {
    const cell = this.#cells[row] ?? null;
    if (cell === this.#cell) {
      this.#lines.repeat(this.#from, this.#to);
      return;
    }
    this.#cell = cell;
    this.#text = undefined;
    this.#from = this.#lines.length;
    if (cell !== null) this.#addCell(cell);
    this.#to = this.#lines.length;
  }

  #addCell(cell: Cell | Uint8Array): void {
    const { type } = this.column;
    this.#lines.addBytes(this.#key);
    if (!(cell instanceof Uint8Array)) this.#addJson(canonicalText(type, cell));
    else if (type === "text") this.#lines.addString(cell);
    else if (type === "json") this.#lines.addBytes(cell);
    else this.#addJson(canonicalText(type, decimalOf(cell)));
  }

  #addJson(json: string): void {
    this.#lines.addAscii(json);
    this.#text = json.startsWith('"') ? json.slice(1, -1) : json;
  }

  /** A string without its quotes, or other JSON; undefined if there is no value. */
  text(): string | undefined {
    if (this.#text === undefined && this.#cell instanceof Uint8Array) {
      const text = Buffer.from(this.#cell).toString();
      const isString = this.column.type === "json" && text.startsWith('"');
      this.#text = isString ? String(JSON.parse(text)) : text;
    }
    return this.#text;
  }

  /** Finds the text in the lines, or undefined if there is no value. Valid until more is added to the lines. */
  find(): TextBytes | undefined {
    if (this.#cell === null) return undefined;
    const { type } = this.column;
    const quote = type === "text" || type === "time" || type === "decimal" ? 1 : 0;
    const from = this.#from + this.#key.length + quote;
    const to = this.#to - quote;
    const isEscaped = type === "text" && this.#cell instanceof Uint8Array && this.#cell.length !== to - from;
    if (type === "json" || isEscaped) return toBytes(this.text() ?? "");
    return { view: this.#lines.view, from, to };
  }
}

const decimal = new Uint8Array(decimalLength);
const decimalView = new DataView(decimal.buffer);

/** A 128-bit integer, with the highest byte first. */
function decimalOf(bytes: Uint8Array): bigint {
  decimal.set(bytes);
  const [high, low] = [decimalView.getBigInt64(0), decimalView.getBigInt64(8)];
  return high === low >> 63n ? low : (high << 64n) | BigInt.asUintN(64, low);
}

/** No row group is larger, because the writer ends it; see `parquet-writer.ts`. */
export const rowsPerGroup = 20_000;
/** In bytes. A row group has at most 16 MiB of canonical rows, and one row at most as much again. */
const maxPageBytes = 64 * 1024 * 1024;

/**
 * Checks the sizes in the page headers of a column before anything is allocated for them: someone may have written them
 * into a file, and its seal, on purpose.
 */
export function checkPages(view: DataView, rows: number): void {
  const reader = { view, offset: 0 };
  let values = 0;
  while (reader.offset < view.byteLength) {
    const header = parquetHeader(reader);
    const { compressed_page_size: packed, uncompressed_page_size: size } = header;
    const own = header.data_page_header?.num_values ?? header.data_page_header_v2?.num_values;
    const count = own ?? header.dictionary_page_header?.num_values ?? -1;
    const isSized =
      packed >= 0 && size >= 0 && size <= maxPageBytes && reader.offset + packed <= view.byteLength;
    if (!isSized || !(count >= 0 && count <= rows))
      throw new UnreadableParquet("a page is larger than its row group");
    values += own ?? 0;
    reader.offset += packed;
  }
  if (values !== rows) throw new UnreadableParquet("a column has too few or too many values");
}
