import { gzipSync } from "node:zlib";
import type { RowGroup } from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { ParquetWriter } from "hyparquet-writer/src/parquet-writer.js";
import type { ColumnCells } from "./parquet/column-cells.ts";
import { createRowHash, type ParquetColumn, type RowSummary } from "./parquet-format.ts";
import { markKey, receiptKey, sealFooter, sha256Of, writeMark } from "./parquet/file-mark.ts";
import { createRowReader, type RefuseValue } from "./parquet/row-reader.ts";
import { physicalElement, schemaOf } from "./parquet/parquet-schema.ts";
import { rowsPerGroup } from "./parquet/check-pages.ts";
import { letHeapGrow } from "../base/heap-room.ts";

export interface WrittenRows extends RowSummary {
  /** The number of values by column whose exact text is in `other`. */
  readonly spilled: Readonly<Record<string, number>>;
}

export interface ParquetTarget {
  readonly columns: readonly ParquetColumn[];
  readonly refuse: RefuseValue;
  /** Returns the text for the key `dexdata` in the footer. Called once per file, after its rows. */
  readonly receipt: (written: WrittenRows) => string;
}

export interface ParquetOptions extends Pick<ParquetTarget, "columns"> {
  /** The bytes are valid until the promise resolves. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly refuse?: RefuseValue;
  /** Bytes that are written between the start of the file, `PAR1`, and the rows. */
  readonly prefix?: readonly Uint8Array[];
}

/** A row group is held in memory and read as a unit. Its limits depend only on the rows, so the file does too. */
const bytesPerGroup = 16 * 1024 * 1024;

/** Writes rows, which are JSON texts. Memory holds up to one row group. */
export function createParquetWriter({ columns, write, refuse = refuseValue, prefix = [] }: ParquetOptions) {
  letHeapGrow();
  const bytes = new GroupBytes(write);
  const schema = schemaOf(columns);
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schema.map(physicalElement),
    codec: "GZIP",
    compressors: { GZIP: compress },
    createdBy: "dexdata",
  });
  for (const piece of prefix) bytes.appendBytes(piece);
  const reader = createRowReader(columns, refuse);
  const hash = createRowHash();
  let rows = 0;

  const endGroup = async (): Promise<void> => {
    if (rows === 0) return;
    hash.add(reader.lines.bytes(), rows);
    const columnData = reader.columns.map((cells) => ({
      name: cells.column.name,
      // Called when the column is written, so that only one column has objects for its values.
      get data() {
        return cells.values();
      },
      // An index would come after the row groups, outside their hashes. Row groups are small enough without one.
      offsetIndex: false,
    }));
    const written = writer.write({ columnData, rowGroupSize: rows });
    keepBounds(writer.row_groups.at(-1), reader.columns);
    reader.clear();
    rows = 0;
    await written;
  };
  return {
    add: async (texts: readonly string[]): Promise<void> => {
      for (const text of texts) {
        reader.add(text);
        rows += 1;
        if (rows === rowsPerGroup || reader.lines.length >= bytesPerGroup) await endGroup();
      }
    },
    /** Call this once, after all rows. */
    finish: async (receipt: ParquetTarget["receipt"]): Promise<WrittenRows> => {
      await endGroup();
      const written = { ...hash.summary(), spilled: reader.spilled() };
      writer.kvMetadata = [
        { key: receiptKey, value: receipt(written) },
        { key: markKey, value: writeMark({ columns, groups: bytes.groups }) },
      ];
      writer.schema = schema;
      await writer.finish();
      return written;
    },
  };
}

/**
 * hyparquet-writer compares the bytes of decimals, so that negative ones would be greater than all others. The bounds of
 * texts are written with the footer, when their memory has other rows.
 */
function keepBounds(group: RowGroup | undefined, columns: readonly ColumnCells[]): void {
  for (const [index, cells] of columns.entries()) {
    const statistics = group?.columns[index]?.meta_data?.statistics;
    if (statistics === undefined) continue;
    const { min_value: min, max_value: max } = statistics;
    if (cells.column.type === "decimal") Object.assign(statistics, cells.bounds());
    else if (min instanceof Uint8Array && max instanceof Uint8Array)
      Object.assign(statistics, { min_value: Uint8Array.from(min), max_value: Uint8Array.from(max) });
  }
}

function refuseValue({ name, type }: ParquetColumn, raw: string): Error {
  return new Error(`${name}: ${raw.slice(0, 100)} does not fit a ${type} column`);
}

/** The operating system of the writer, at this place in every gzip header; 255 means unknown. */
const systemByte = 9;

function compress(page: Uint8Array): Uint8Array {
  const packed = gzipSync(page, { level: 6 });
  packed[systemByte] = 255;
  return packed;
}

/** Collects the bytes of a row group or of the footer, and passes them on. */
export class GroupBytes extends ByteWriter {
  readonly groups: string[] = [];
  readonly #write: ParquetOptions["write"];

  constructor(write: ParquetOptions["write"]) {
    super(1024 * 1024);
    this.#write = write;
  }

  async flush(): Promise<void> {
    this.groups.push(sha256Of(this.getBytes()));
    await this.#passOn();
  }

  override async finish(): Promise<void> {
    sealFooter(Buffer.from(this.buffer, 0, this.index));
    await this.#passOn();
  }

  async #passOn(): Promise<void> {
    await this.#write(this.getBytes());
    this.index = 0;
  }
}
