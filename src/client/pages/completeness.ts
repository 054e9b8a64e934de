import { fail, type Failure } from "../../model/failure.ts";
import { counted } from "../../model/text/counted.ts";
import { formatInstant, type Instant } from "../../model/time/time.ts";

/**
 * When a list is complete. A walk ends where the API says that the list ends, unless the API's own count of rows
 * contradicts it. A response that contradicts the count, or itself, never moves the position of a walk: the page is
 * requested again with backoff, up to three times, the last time at another URL where the list has one, because a cache
 * may keep a wrong response. If the contradiction remains, the rows of the page are still returned, and the walk fails with
 * exit 8 and the number of missing rows. `--no-strict` accepts the list as it is.
 *
 * - **Numbered pages** (transactions up to page 100, DEXes). Proof: each page has the number that was asked for, where it
 *   says one, as many rows as its own totals count for it, and some that are new; the count leaves no row behind the last
 *   page. A total that changes says that rows have moved: the walk then finds its last row again (see `window-step.ts`), or
 *   claims no proof. Rows that appear in the part already read are not part of the list that was asked for. DEXes that
 *   change places while their number stays the same cannot be noticed. Without usable totals, the list ends at a short, an
 *   empty or a repeated page, without a proof.
 * - **Transactions by cursor** (beyond page 100, or from `--cursor`). These pages have no totals. Proof: the rows that the
 *   last counted page left have all come. Where that does not come out even, the window that ends at the last row counts
 *   what is left, and the last counted window what it has now: rows that it still counts are missing. Where no page was
 *   counted, there is no proof.
 * - **Searches**. No count. A walk requests a page again if it promises another page without a cursor, repeats a cursor,
 *   brings nothing new, or has fewer rows than it was asked for although another page follows. Rows that are missing from
 *   the last page cannot be noticed.
 * - **Candles**. No count, and an interval without trades has no candle. A slice with candles of another time range is
 *   requested again; one that ends long before its range does, measured by the other gaps of the market, is asked once for
 *   the rest, and so is an empty one at the beginning.
 * - **Batches of prices**. Proof: each input has a row or is reported as missing. A response with rows that were not asked
 *   for is requested again. Whether a price is truly missing cannot be proved.
 * - **One response** (networks, the global search, single records). The response is all there is; it cannot be proved.
 *
 * `api --paginate` and the library take the same walks. `txns --follow` compares each read with the count by itself.
 */
export type Proof =
  /** The service's own count of the list's rows. */
  | "count"
  /** The service said that the list ends; it gives no count to compare with. */
  | "end of list"
  /** Each input has its row, or is reported. */
  | "inputs";

/** Further requests for one page, without a new row, until a contradiction is final. */
export const mostRepeats = 3;

/**
 * The service's count and its pages contradict each other, whatever was tried. `rows`: how many are missing; undefined where
 * the count is beyond what can be told exactly. `before`: they are at or before this time; undefined where rows have none.
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
