import { fail, type Failure } from "../../contract/failure.ts";
import { counted } from "../../text/counted.ts";
import { formatInstant, type Instant } from "../../time/time.ts";

/**
 * When a list is complete. A pull ends where the API reports the end of the list, unless the API's own count of rows
 * contradicts it. A response that contradicts the count, or itself, never moves the position of a pull: the page is
 * requested again with backoff, up to three times, the last time at another URL where the list has one, because a cache
 * may keep a wrong response. If the contradiction remains, the rows of the page are still returned, and the pull fails with
 * exit 8 and the number of missing rows. `--no-strict` accepts the list as it is.
 *
 * - **Numbered pages** (transactions up to page 100, DEXes). Proof: each page has the requested number (if it has one), as
 *   many rows as its own totals promise, and some new rows; after the last page, the count is used up. A changed total means
 *   that rows have moved: the pull then finds its last row again (see `frozen-windows.ts`), or claims no proof. Rows added to
 *   the part already read are not due. A DEX that changes its rank while the total stays the same goes unnoticed. Without
 *   usable totals, the list ends at a short, empty or repeated page, without proof.
 * - **Transactions by cursor** (beyond page 100, or from `--cursor`). These pages have no totals. Proof: the rows that the
 *   last counted page left have all been returned. If the count differs, the window that ends at the last row is
 *   counted, and the last counted window again: rows that it still counts are missing. If no page had a count, there is
 *   no proof.
 * - **Searches**. No count. A pull requests a page again if it promises another page without a cursor, repeats a cursor,
 *   has nothing new, or has fewer rows than requested although another page follows. Rows that are missing from
 *   the last page cannot be noticed.
 * - **Candles**. No count, and an interval without trades has no candle. A slice with candles of another time range is
 *   requested again. For one that ends long before its range does, measured by the other gaps of the market, the rest is
 *   requested once; so is an empty one at the beginning.
 * - **Batches of prices**. Proof: each input has a row or is reported as missing. A response with rows that were not
 *   requested is requested again. Whether a price is truly missing cannot be proved.
 * - **One response** (networks, the global search, single records). The response is the entire list; that cannot be proved.
 *
 * `api --paginate` and the library read lists in the same way. `txns --follow` compares each read with the count itself.
 */
export type Proof =
  /** The service's own count of the list's rows. */
  | "count"
  /** The service reported the end of the list; it has no count to compare with. */
  | "end of list"
  /** Each input has its row, or is reported. */
  | "inputs";

/** Retries of one page, without a new row, until a contradiction is final. */
export const mostRepeats = 3;

/**
 * The service's count and its pages still contradict each other after all retries. `rows`: the number of missing rows;
 * undefined if the count is too large to be exact. `before`: the rows are at or before this time; undefined if rows have no
 * time.
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
