import { expect, test } from "vitest";
import { rowShape } from "../../src/contract/endpoint.ts";
import { poolTransactions } from "../../src/contract/endpoints/pool-transactions.ts";
import { columnsOf } from "../../src/parquet/parquet-columns.ts";
import { readParquet, UnreadableParquet } from "../../src/parquet/parquet-file.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { generateRow } from "./generated-rows.ts";
import { open, writeFile } from "./memory-file.ts";

const shape = rowShape(poolTransactions);

async function someFile(): Promise<Buffer> {
  const random = createRandom(4711);
  const rows = Array.from({ length: 200 }, () => generateRow(random, shape));
  return (await writeFile(columnsOf(shape), rows, '{"rows":200}')).file;
}

test("a single flipped bit anywhere is noticed", async () => {
  const file = await someFile();
  const random = createRandom(99);
  const unnoticed: number[] = [];
  for (let round = 0; round < (isLong ? 5000 : 300); round += 1) {
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
