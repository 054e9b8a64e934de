import { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";
import { markKey, receiptKey, sealFooter, sha256Of, writeMark } from "./file-mark.ts";
import { type ByteSource, type GroupRange, openParquet, readFooter } from "./parquet-file.ts";

/** Row groups of one file. All files of a join have the same columns. */
export interface Piece extends GroupRange {
  readonly source: ByteSource;
}

type Thrift = Record<string, unknown>;

const magic = Buffer.from("PAR1");

/**
 * Copies row groups into one file, byte for byte: only their places in the file are new. The result is the same as if
 * `createParquetWriter` had written all rows. Throws UnreadableParquet if a byte of a row group has changed.
 */
export async function joinParquet(
  pieces: readonly Piece[],
  receipt: string,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const hashes: string[] = [];
  const copied: Thrift[] = [];
  let footer: Thrift | undefined;
  let columns: Parameters<typeof writeMark>[0]["columns"] = [];
  let [position, rows] = [0, 0n];
  for (const { source, begin, end } of pieces) {
    const parquet = await openParquet(source);
    const own = await readThrift(source);
    footer ??= own;
    columns = parquet.columns;
    for (let index = begin; index < end; index += 1) {
      const whole = await parquet.bytesOf(index);
      const group = Object(own["field_4"])[index];
      const bytes = index === 0 ? whole.subarray(magic.length) : whole;
      const placed = position === 0 ? Buffer.concat([magic, bytes]) : bytes;
      const start = position + placed.length - bytes.length;
      copied.push(moved(group, BigInt(start) - firstByte(group)));
      hashes.push(sha256Of(placed));
      rows += BigInt(group.field_3);
      await write(placed);
      position += placed.length;
    }
  }
  if (footer === undefined) throw new Error("a join of nothing");
  const texts = [
    { field_1: receiptKey, field_2: receipt },
    { field_1: markKey, field_2: writeMark({ columns, groups: hashes }) },
  ];
  const writer = new ByteWriter();
  if (position === 0) writer.appendBytes(magic);
  const before = writer.offset;
  serializeTCompactProtocol(writer, { ...footer, field_3: rows, field_4: copied, field_5: texts });
  writer.appendUint32(writer.offset - before);
  writer.appendBytes(magic);
  const bytes = Buffer.from(writer.getBytes());
  sealFooter(bytes);
  await write(bytes);
}

/** The footer as numbered fields, as the format defines them: nothing is converted, so nothing is lost. */
async function readThrift(source: ByteSource): Promise<Thrift> {
  const { footer } = await readFooter(source);
  const length = footer.readUInt32LE(footer.length - 8);
  const view = new DataView(footer.buffer, footer.byteOffset, footer.length - 8);
  return deserializeTCompactProtocol({ view, offset: footer.length - 8 - length });
}

interface Group {
  readonly field_1: readonly { readonly field_3: Thrift }[];
}

/** The places of the data, an index and the dictionary of a column. */
const places = ["field_9", "field_10", "field_11"];

function firstByte({ field_1 }: Group): bigint {
  const starts = field_1.flatMap(({ field_3: facts }) =>
    places.flatMap((place) => (typeof facts[place] === "bigint" ? [facts[place]] : [])),
  );
  return starts.reduce((first, start) => (start < first ? start : first));
}

function moved(group: Group, by: bigint): Thrift {
  const shifted = (facts: Thrift, names: readonly string[]): Thrift =>
    Object.fromEntries(
      Object.entries(facts).map(([name, value]) => [
        name,
        typeof value === "bigint" && names.includes(name) ? value + by : value,
      ]),
    );
  return {
    ...group,
    field_1: group.field_1.map((column) => ({
      ...shifted({ ...column }, ["field_2"]),
      field_3: shifted(column.field_3, places),
    })),
  };
}
