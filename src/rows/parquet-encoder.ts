import { Duplex } from "node:stream";
import { fail } from "../base/failure.ts";
import { readParquet, tryParquet } from "./parquet-file.ts";
import { createParquetWriter, type ParquetTarget, type WrittenRows } from "./parquet-writer.ts";

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
      throw fail("output", `${file}: the rows that were read back differ from those that were written`, {
        next: "check the disk and the memory of this machine",
      });
    },
  };
}

const LF = 10;

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
