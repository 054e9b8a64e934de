import { fail, type Failure } from "../base/failure.ts";
import { counted } from "../base/text/counted.ts";
import { formatInstant, type Instant } from "../base/time/time.ts";

/** Where a pull starts or continues, as plain data that can be stored in a file. */
export interface Position {
  /** The flag that requests this position. For `subject`, the value is the number of inputs that are done. */
  readonly flag: "cursor" | "page" | "from" | "subject";
  readonly value: string;
  /** The time to which the pull was frozen, in the API's format. Missing if the request's own limit applies. */
  readonly to?: string | undefined;
  /** The service's total when the pull reached this position. A later total shows whether the list has shifted. */
  readonly items?: number | undefined;
  /** Rows still expected after this position, based on the total at the start. Missing once the list has shifted. */
  readonly due?: number | undefined;
  /** Rows may have shifted past the pull before this position, so no count can prove that the list is complete. */
  readonly isDoubted?: boolean | undefined;
  /** The token in whose list of pools this position is, if several lists could be continued. */
  readonly list?: string | undefined;
  /** The candle before this position, as sent by the service; used to fill gaps. */
  readonly before?: string | undefined;
}

/**
 * Judges pages: what proves that a list is complete, what contradicts it, and what cannot be proved.
 *
 * A response that contradicts the list is requested again with backoff, up to three times. The last attempt uses
 * another URL if the list has one, because a cache may keep a wrong response. If the contradiction remains, it becomes
 * a **doubt**: the pull keeps the rows, reads on where a next position exists, and fails at the end with exit code 8.
 * Positions behind a doubt are not confirmed, so a resumed pull begins before it. `--no-strict` accepts the list with a
 * warning. What may be the service's normal behavior is a **remark**: it is counted, and the list is complete.
 *
 * | list | proved complete by | contradicted by | cannot be proved |
 * |---|---|---|---|
 * | numbered pages (transactions up to page 100, DEXes) | the service's count: every page has its number (or none), all rows that its totals promise and no row of another page, and no counted row is left after the last page | a page with another number, too few or too many rows, rows of earlier pages, or one row twice | rows added to the part already read; a list without usable totals ends at a short, empty or repeated page |
 * | transactions by cursor (beyond page 100, or from `--cursor`) | the count, if all rows left after the last counted page were returned | a short page although another follows, rows of earlier pages, and a count that is not reached | everything, if no page had a count |
 * | searches | nothing; they end where the service ends them | a next page without a cursor, a repeated cursor, an announced page that is empty, a page with earlier rows only | rows missing from a page that the service confirms to be short (a remark), a page that repeats some earlier rows (a remark), an early end |
 * | candles | nothing | candles outside the requested time range; a gap that is unlikely for this market is requested once more | an interval without trades has no candle |
 * | batches of prices | each input has a row or is reported as missing | rows that were not requested | whether a price is truly missing |
 * | single responses (networks, the global search, records) | the response is the entire list | another asset or network than requested | everything else |
 *
 * If the total of a numbered list changes, rows have shifted: the pull then locates its last row again (see
 * `frozen-windows.ts`). Rows pushed onto a later page are expected only if the total has grown by as many. DEXes cannot
 * be frozen in time, so a doubtful list of them is read a second time, and the union counts. An empty list never proves
 * its count. A response about another asset or network is never returned (see ownership.ts).
 *
 * Within one response, two rows are the same row only if their bytes are equal. Between responses, their identity
 * decides. `api --paginate` and the library read lists the same way. `txns --follow` compares each read with the count
 * separately.
 */
export type Proof =
  /** All rows that the service counts were returned. */
  | { readonly by: "count"; readonly rows: number }
  /** The service reported the end of the list, but gave no count to compare with. */
  | { readonly by: "end of list" }
  /** Each input has a row, or is reported as missing. */
  | { readonly by: "inputs" };

/** A contradiction that remained after all retries. */
export interface Doubt {
  readonly problem: string;
  /** The number of rows that are missing because of it, if it is known. */
  readonly rows: number | undefined;
  /** The latest possible time of the missing rows; undefined if it is unknown. */
  readonly before?: Instant | undefined;
}

/**
 * How a list continues after a page. `doubts` are all doubts up to here. Without any, the position is confirmed, and a
 * checkpoint may store it.
 */
export type PageEnd = { readonly doubts: readonly Doubt[] } & (
  | { readonly kind: "more"; readonly next: Position }
  | { readonly kind: "last"; readonly proof: Proof }
  /** Rows were removed from the end of the page because no more were wanted. */
  | { readonly kind: "cut" }
);

export function more(next: Position, doubts: readonly Doubt[] = []): PageEnd {
  return { kind: "more", next, doubts: [...doubts] };
}

export function ended(by: "end of list" | "inputs", doubts: readonly Doubt[] = []): PageEnd {
  return { kind: "last", proof: { by }, doubts: [...doubts] };
}

interface Ended {
  readonly end: PageEnd;
}

/** The position of the next page; undefined if there is none, or if only part of the page was used. */
export function nextOf({ end }: Ended): Position | undefined {
  return end.kind === "more" ? end.next : undefined;
}

/** Whether no page up to the end of this one is doubtful. */
export function isConfirmed({ end }: Ended): boolean {
  return end.doubts.length === 0;
}

/** For a list that continues without new rows. Each of its pages costs a credit. */
export function endlessList(pages: number, doubts: readonly Doubt[]): Failure {
  const problem = `${pages} consecutive pages had no new rows, but the service promises another page`;
  return incompleteList([{ problem, rows: undefined }, ...doubts]);
}

/** For a position that the service itself has named, but does not accept. `rows` is the number of rows after it. */
export function rejectedPosition(
  doubts: readonly Doubt[],
  rows: number | undefined,
  before: Instant | undefined,
): Failure {
  const problem = "the service rejected a cursor that it had sent itself";
  return incompleteList([...doubts, { problem, rows, before }]);
}

export function incompleteList(doubts: readonly Doubt[]): Failure {
  // The list is sorted, so later doubts concern older rows.
  const before = doubts[0]?.before;
  const to = before === undefined ? undefined : formatInstant(before);
  const isCounted = doubts.every(({ rows }) => rows !== undefined);
  const rows = isCounted ? doubts.reduce((sum, doubt) => sum + (doubt.rows ?? 0), 0) : undefined;
  const where = to === undefined ? "" : ` at or before ${to}`;
  const missing =
    rows === undefined
      ? `rows${where} may be missing`
      : `${counted(rows, "row")}${where} ${rows === 1 ? "is" : "are"} missing`;
  return fail("incomplete", `incomplete list: ${problemsOf(doubts)}; ${missing}`, {
    incomplete: { missing: { rows, to }, doubts: doubts.map(({ problem }) => problem) },
  });
}

export function problemsOf(doubts: readonly Doubt[]): string {
  const [first, ...others] = doubts;
  const rest = others.length === 0 ? "" : ` (and ${counted(others.length, "more problem")})`;
  return `${first?.problem ?? ""}${rest}`;
}
