/** What a page of a search looks like to the judge. */
export interface SearchPage {
  /** New rows, and rows with the same bytes as another row of this page; see `createRowInspector`. */
  readonly inspected: { readonly fresh: number; readonly doubles: number };
  readonly rows: { readonly length: number };
  /** The next cursor: undefined after the last page; null if a page is promised without a cursor. */
  readonly next: string | null | undefined;
  /** The limit that the response reports, if any. */
  readonly limit: unknown;
}

export interface SearchVerdict {
  readonly problem: string;
  /** After a doubt at the end, no next page can be requested. Others are accepted once a second response confirms them. */
  readonly kind: "doubt" | "doubt at the end" | "short page" | "twin rows";
}

export interface SearchState {
  readonly pageSize: number;
  /** Whether an earlier page had rows. */
  readonly hasRows: boolean;
  /** Checks whether a cursor was sent before. */
  readonly isSent: (cursor: string) => boolean;
}

/** Returns undefined if nothing about the page is unusual. */
export function judgeSearchPage(page: SearchPage, state: SearchState): SearchVerdict | undefined {
  const { rows, inspected, next, limit } = page;
  if (next === null)
    return {
      kind: "doubt at the end",
      problem: "the service promised a next page but sent no cursor for it",
    };
  if (next !== undefined && state.isSent(next))
    return {
      kind: "doubt at the end",
      problem: "the service repeated a cursor, so paging would never end",
    };
  if (rows.length === 0) {
    const isPromised = next !== undefined || state.hasRows;
    return isPromised
      ? { kind: "doubt", problem: "the service promised another page, but it is empty" }
      : undefined;
  }
  if (inspected.fresh === 0) return { kind: "doubt", problem: "a page repeats earlier rows" };
  const full = typeof limit === "number" && limit > 0 ? Math.min(limit, state.pageSize) : state.pageSize;
  if (next !== undefined && rows.length < full) {
    const problem = `a page has only ${rows.length} of ${full} rows, but another page follows`;
    return { kind: "short page", problem };
  }
  if (inspected.doubles > 0) return { kind: "twin rows", problem: "a page has the same row twice" };
  return undefined;
}
