import { truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { FileMetaData } from "hyparquet";
import { parquetMetadata } from "hyparquet/src/metadata.js";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";
import { expect, test } from "vitest";
import { rowShape } from "../../src/api/endpoint.ts";
import { poolTransactions } from "../../src/api/endpoints/pool-transactions.ts";
import { checkPages } from "../../src/rows/parquet/stored-column.ts";
import { breakSeal, sealFooter } from "../../src/rows/parquet/file-mark.ts";
import { columnsOf, UnreadableParquet } from "../../src/rows/parquet-format.ts";
import { readParquet, withParquet } from "../../src/rows/parquet-file.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { generateRow } from "./generated-rows.ts";
import { open, writeFile } from "./memory-file.ts";

const shape = rowShape(poolTransactions);

async function someFile(): Promise<Buffer> {
  const random = createRandom(4711);
  const rows = Array.from({ length: 100 }, () => generateRow(random, shape));
  return (await writeFile(columnsOf(shape), rows, '{"rows":100}')).file;
}

test("a single flipped bit anywhere is noticed", async () => {
  const file = await someFile();
  const random = createRandom(99);
  const unnoticed: number[] = [];
  for (let round = 0; round < (isLong ? 5000 : 150); round += 1) {
    const bit = Math.floor(random() * file.length * 8);
    const damaged = Buffer.from(file);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const isNoticed = await open(damaged)
      .then(readParquet)
      .then(
        () => false,
        (thrown: unknown) => thrown instanceof UnreadableParquet,
      );
    if (!isNoticed) unnoticed.push(bit);
  }
  expect(unnoticed).toEqual([]);
});

test("a truncated file, an empty one and one of another program are noticed", async () => {
  const file = await someFile();
  for (const length of [0, 3, 11, 12, 1000, file.length - 1])
    await expect(open(file.subarray(0, length))).rejects.toThrow(UnreadableParquet);
  await expect(open(Buffer.from("PAR1 not parquet at all PAR1"))).rejects.toThrow(UnreadableParquet);
});

test("a file that another program truncates while it is read is damaged", async () => {
  const file = path.join(temporaryFolder(), "rows.parquet");
  writeFileSync(file, await someFile());
  const reading = withParquet(file, async (parquet) => {
    truncateSync(file, 1000);
    return await readParquet(parquet);
  });
  await expect(reading).rejects.toThrow(UnreadableParquet);
});

/** Changes the footer, and seals it again, as someone could on purpose. */
function forge(file: Buffer, change: (metadata: FileMetaData) => void, between = Buffer.alloc(0)): Buffer {
  const start = file.length - 8 - file.readUInt32LE(file.length - 8);
  const metadata = parquetMetadata(new Uint8Array(file).buffer, { geoparquet: false });
  change(metadata);
  const writer = new ByteWriter();
  writeMetadata(writer, metadata);
  writer.appendUint32(0x31524150);
  const footer = Buffer.from(writer.getBytes());
  breakSeal(footer);
  sealFooter(footer);
  return Buffer.concat([file.subarray(0, start), between, footer]);
}

test("a forged number of rows is refused at once", async () => {
  const columns = columnsOf(shape);
  const { file } = await writeFile(columns, ["{}", "{}"]);
  await open(forge(file, () => undefined)).then(readParquet);
  for (const rows of [5_000_000_000n, 20_001n, 0n, -1n]) {
    const forged = forge(file, (metadata) => {
      metadata.num_rows = rows;
      for (const group of metadata.row_groups) {
        group.num_rows = rows;
        for (const { meta_data: meta } of group.columns)
          if (meta !== undefined)
            Object.assign(meta, { num_values: rows, statistics: { ...meta.statistics, null_count: rows } });
      }
    });
    const before = process.cpuUsage();
    await expect(open(forged).then(readParquet)).rejects.toThrow(UnreadableParquet);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  }
});

test("a forged page is refused before memory is taken for it", () => {
  const page = (fields: Parameters<typeof serializeTCompactProtocol>[1]): DataView => {
    const writer = new ByteWriter();
    serializeTCompactProtocol(writer, fields);
    writer.appendBytes(new Uint8Array(4));
    const bytes = writer.getBytes();
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
  const sound = {
    field_1: 0,
    field_2: 4,
    field_3: 4,
    field_5: { field_1: 7, field_2: 0, field_3: 3, field_4: 3 },
  };
  expect(() => checkPages(page(sound), 7)).not.toThrow();
  for (const forged of [
    { ...sound, field_2: 2_000_000_000 },
    { ...sound, field_3: 5 },
    { ...sound, field_3: -4 },
    { ...sound, field_5: { ...sound.field_5, field_1: 2_000_000_000 } },
    { ...sound, field_5: { ...sound.field_5, field_1: 6 } },
  ])
    expect(() => checkPages(page(forged), 7), JSON.stringify(forged)).toThrow(UnreadableParquet);
});

test("bytes between the rows and the footer are noticed", async () => {
  const file = await someFile();
  await expect(open(forge(file, () => undefined, Buffer.from("hidden")))).rejects.toThrow(
    "there are bytes between the rows and the footer",
  );
  const { file: empty } = await writeFile(columnsOf(shape), []);
  await open(empty).then(readParquet);
});
