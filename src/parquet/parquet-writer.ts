import { gzipSync } from "node:zlib";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { ParquetWriter } from "hyparquet-writer/src/parquet-writer.js";
import { createRowHash, type RowSummary } from "./canonical-rows.ts";
import type { ParquetColumn } from "./parquet-columns.ts";
import { markKey, receiptKey, sealFooter, sha256Of, writeMark } from "./file-mark.ts";
import { createRowReader, type RefuseValue } from "./row-reader.ts";
import { schemaOf } from "./parquet-schema.ts";
import type { Cell } from "./cells.ts";

export interface WrittenRows extends RowSummary {
  /** The number of values by column whose exact text is in `other`. */
  readonly spilled: Readonly<Record<string, number>>;
}

/** What the file contains besides its rows. */
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
}

/** A row group is held in memory and read as a unit. Its limits depend only on the rows, so the file does too. */
const rowsPerGroup = 20_000;
const charactersPerGroup = 16 * 1024 * 1024;

/** Writes rows, which are JSON texts. Memory holds up to one row group. */
export function createParquetWriter({ columns, write, refuse = refuseValue }: ParquetOptions) {
  const bytes = new GroupBytes(write);
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    codec: "GZIP",
    compressors: { GZIP: compress },
    createdBy: "dexdata",
  });
  const reader = createRowReader(columns, refuse);
  const hash = createRowHash();
  let group: Cell[][] = columns.map(() => []);
  let rows = 0;
  let characters = 0;
  let lines = "";

  const hashLines = (count: number): void => {
    hash.add(lines, count);
    lines = "";
  };
  const endGroup = async (): Promise<void> => {
    if (rows === 0) return;
    const columnData = columns.map(({ name }, index) => ({
      name,
      data: group[index] ?? [],
      // An index would come after the row groups, outside their hashes. Row groups are small enough without one.
      offsetIndex: false,
    }));
    const size = rows;
    group = columns.map(() => []);
    [rows, characters] = [0, 0];
    await writer.write({ columnData, rowGroupSize: size });
  };
  return {
    add: async (texts: readonly string[]): Promise<void> => {
      let pending = 0;
      for (const text of texts) {
        const { cells, line } = reader.read(text);
        for (let index = 0; index < group.length; index += 1) group[index]?.push(cells[index] ?? null);
        lines += line;
        characters += line.length;
        rows += 1;
        pending += 1;
        if (rows < rowsPerGroup && characters < charactersPerGroup) continue;
        hashLines(pending);
        pending = 0;
        await endGroup();
      }
      hashLines(pending);
    },
    /** Call this once, after all rows. */
    finish: async (receipt: ParquetTarget["receipt"]): Promise<WrittenRows> => {
      await endGroup();
      const written = { ...hash.summary(), spilled: reader.spilled() };
      writer.kvMetadata = [
        { key: receiptKey, value: receipt(written) },
        { key: markKey, value: writeMark({ columns, groups: bytes.groups }) },
      ];
      await writer.finish();
      return written;
    },
  };
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
class GroupBytes extends ByteWriter {
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
