import type { Client } from "../client.ts";
import type { Rows } from "../rows/rows.ts";
import { hasNewRow } from "./distinct-pages.ts";
import type { ListWalk } from "./pages.ts";

/** One page of a search, read. */
export interface CursorPage {
  readonly rows: Rows;
  /** As by `nextCursor`. */
  readonly next: string | null | undefined;
  /** The page size that the service says it used, if it says one. */
  readonly limit: unknown;
  /** Why the rows may not be what was asked for. */
  readonly warning: string | undefined;
}

/** What is wrong with a page. `isFinal`: the walk cannot go on like this; else the service may mean it. */
interface Doubt {
  readonly kind: "no cursor" | "repeated cursor" | "repeated rows" | "missing rows" | "empty end";
  readonly problem: string;
  readonly isFinal: boolean;
}

export interface Settled {
  readonly page: CursorPage;
  /** Why the walk has to end after this page. */
  readonly problem?: string;
}

/**
 * Settles whether a page of a search is what the service means, by requesting it again. A search has no count, so a page
 * that looks the same the second time is believed, unless it leads nowhere. `isSent`: a cursor that was sent before.
 */
export type Settle = (
  first: CursorPage,
  isSent: (cursor: string) => boolean,
  requestAgain: () => Promise<CursorPage>,
) => Promise<Settled>;

export function createDoubts(client: Client, { pageSize, seen, start }: ListWalk): Settle {
  let hasRows = start !== undefined;
  /** Fewest rows of a page that another one follows: 1 once the service has confirmed a short page, 0 after an empty one. */
  let fewest = Number.POSITIVE_INFINITY;

  const doubtAbout = ({ rows, next, limit }: CursorPage, isSent: (cursor: string) => boolean) => {
    if (next === null) return noCursor;
    if (next !== undefined && isSent(next)) return repeatedCursor;
    if (rows.length > 0 && !hasNewRow(rows, seen)) return repeatedRows;
    const full = typeof limit === "number" && limit > 0 ? Math.min(limit, pageSize) : pageSize;
    if (next !== undefined && rows.length < Math.min(full, fewest))
      return {
        ...missingRows,
        problem: `a page has ${rows.length} of ${full} rows, and another page follows`,
      };
    return next === undefined && rows.length === 0 && hasRows ? emptyEnd : undefined;
  };

  return async (first, isSent, requestAgain) => {
    let page = first;
    for (let repeats = 1; ; repeats += 1) {
      const doubt = doubtAbout(page, isSent);
      if (doubt === undefined) break;
      if (!(await client.again(repeats, doubt.problem))) {
        if (doubt.isFinal) return { page, problem: doubt.problem };
        break;
      }
      const again = await requestAgain();
      const isMeant = !doubt.isFinal && doubtAbout(again, isSent)?.kind === doubt.kind;
      if (isMeant && again.rows.length === page.rows.length) {
        if (doubt.kind === "missing rows") fewest = Math.min(fewest, page.rows.length, 1);
        break;
      }
      page = again;
    }
    hasRows ||= page.rows.length > 0;
    return { page };
  };
}

const noCursor: Doubt = {
  kind: "no cursor",
  problem: "the service promised a next page but sent no cursor for it",
  isFinal: true,
};
const repeatedCursor: Doubt = {
  kind: "repeated cursor",
  problem: "the service repeated a cursor, so paging would never end",
  isFinal: true,
};
const repeatedRows: Doubt = { kind: "repeated rows", problem: "a page repeats earlier rows", isFinal: false };
const missingRows: Doubt = { kind: "missing rows", problem: "", isFinal: false };
const emptyEnd: Doubt = {
  kind: "empty end",
  problem: "the page after the last one is empty",
  isFinal: false,
};
