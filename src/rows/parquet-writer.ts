import { hash } from "node:crypto";
import { Duplex } from "node:stream";
import { gzipSync } from "node:zlib";
import type { RowGroup } from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { ParquetWriter } from "hyparquet-writer/src/parquet-writer.js";
import { type ColumnCells, createRowReader, type RefuseValue } from "./parquet/row-reader.ts";
import { createRowHash, type ParquetColumn, type RowSummary } from "./parquet-format.ts";
import { markKey, receiptKey, sealFooter, writeMark } from "./parquet/file-mark.ts";
import { physicalElement, schemaOf } from "./parquet/parquet-schema.ts";
import { rowsPerGroup } from "./parquet/stored-column.ts";
import { letHeapGrow } from "../base/heap-room.ts";
import { readParquet, tryParquet, wronglyWritten } from "./parquet-file.ts";

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

interface ParquetOptions extends Pick<ParquetTarget, "columns"> {
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
  const summed = createRowHash();
  let rows = 0;

  const endGroup = async (): Promise<void> => {
    if (rows === 0) return;
    summed.add(reader.lines.bytes(), rows);
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
      const written = { ...summed.summary(), spilled: reader.spilled() };
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

/** Makes Parquet files from rows that are staged as NDJSON. A file gets its name only after it has been read back. */
export function parquetEncoder(target: ParquetTarget) {
  let written: WrittenRows | undefined;
  return {
    name: "parquet",
    encode: () =>
      Duplex.from(async function* (chunks: AsyncIterable<Uint8Array>) {
        const pieces: Buffer[] = [];
        const write = (bytes: Uint8Array): Promise<void> => {
          pieces.push(Buffer.from(bytes));
          return Promise.resolve();
        };
        const writer = createParquetWriter({ ...target, write });
        for await (const rows of completeLines(chunks)) {
          await writer.add(rows);
          yield* pieces.splice(0);
        }
        written = await writer.finish(target.receipt);
        yield* pieces.splice(0);
      }),
    check: async (file: string, signal: AbortSignal): Promise<void> => {
      const read = await tryParquet(
        file,
        async (parquet) => await readParquet(parquet, () => signal.throwIfAborted()),
      );
      if (read?.rows === written?.rows && read?.rows_sha256 === written?.rows_sha256) return;
      throw wronglyWritten(file);
    },
  };
}

/** The last line ends with a line break, too. */
async function* completeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(LF);
    rest = bytes.subarray(end + 1);
    if (end >= 0) yield bytes.toString("utf8", 0, end).split("\n");
  }
}

const LF = 10;

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
    this.groups.push(hash("sha256", this.getBytes()));
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
