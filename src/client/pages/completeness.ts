import { fail, type Failure } from "../../contract/failure.ts";
import { counted } from "../../text/counted.ts";
import { formatInstant, type Instant } from "../../time/time.ts";

/**
 * Defines when a list is complete. A pull ends where the API reports the end of the list, unless the API's own row
 * count contradicts that report. A response that contradicts the count, or itself, never moves the pull's position.
 * Instead, its page is requested again with backoff, up to three times. The last attempt uses another URL if the list
 * has one, because a cache may keep a wrong response. If the contradiction remains, the page's rows are still returned,
 * and the pull fails with exit code 8 and the number of missing rows. `--no-strict` accepts the list anyway.
 *
 * - **Numbered pages** (transactions up to page 100, DEXes). The count proves that the list is complete if each page
 *   has the requested page number (or none), as many rows as its own totals promise and some new rows, and if no
 *   counted row is left after the last page. A changed total means that rows have shifted: the pull then locates its
 *   last row again (see `frozen-windows.ts`), or claims no proof. Rows added to the part already read are not expected.
 *   A DEX whose rank changes while the total stays the same goes unnoticed. Without usable totals, the list ends at a
 *   short, empty or repeated page, without proof.
 * - **Transactions by cursor** (beyond page 100, or from `--cursor`). These pages have no totals. The list is proved
 *   complete if all rows that remained after the last counted page were returned. If the numbers differ, the window
 *   that ends at the last row is counted, and the last counted window is counted again: rows that the latter still
 *   counts are missing. If no page had a count, nothing is proved.
 * - **Searches**. They have no count. A pull requests a page again if it promises another page without a cursor,
 *   repeats a cursor, has no new rows, or has fewer rows than requested although another page follows. Rows missing from
 *   the last page cannot be detected.
 * - **Candles**. They have no count, and an interval without trades has no candle. A slice with candles from another
 *   time range is requested again. If a slice ends long before its range does, judging by the market's other gaps, the
 *   rest of it is requested once. The same applies to an empty slice at the beginning.
 * - **Batches of prices**. The list is proved complete if each input has a row or is reported as missing. A response
 *   with rows that were not requested is requested again. Whether a price is truly missing cannot be proved.
 * - **Single responses** (networks, the global search, single records). The response is the entire list, without proof.
 *
 * `api --paginate` and the library read lists the same way. `txns --follow` compares each read with the count
 * separately.
 */
export type Proof =
  | "count"
  /** The service reported the end of the list, but gave no count to compare with. */
  | "end of list"
  | "inputs";

/** The number of retries for a page without new rows before a contradiction becomes final. */
export const mostRepeats = 3;

/**
 * `rows` is the number of missing rows, or undefined if the count is too large to be exact. `before` is the missing
 * rows' latest possible time, or undefined if rows have no time.
 */
export function incompleteList(
  problem: string,
  rows: number | undefined,
  before: Instant | undefined,
): Failure {
  const to = before === undefined ? undefined : formatInstant(before);
  const what = rows === undefined ? "rows" : counted(rows, "row");
  const where = to === undefined ? "" : ` at or before ${to}`;
  const verb = rows === 1 ? "is" : "are";
  return fail("incomplete", `incomplete list: ${problem}; ${what}${where} ${verb} missing`, {
    missing: { rows, to },
  });
}
