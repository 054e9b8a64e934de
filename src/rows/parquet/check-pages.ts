import { parquetHeader } from "hyparquet/src/column.js";
import { UnreadableParquet } from "../parquet-format.ts";

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
