import { plainList } from "./list-plan.ts";
import { rowShape } from "../api/endpoint.ts";
import { compareInstants, type Instant, SECONDS_PER_DAY, wireOf } from "../base/time/time.ts";
import type { Page } from "./page.ts";
import { readPages } from "./read-pages.ts";
import type { Earlier, Found, RowSource } from "./followed-list.ts";
import { readFollowedRow, type FollowedRow } from "./followed-row.ts";
import type { ListSource } from "./follow/list-reader.ts";

/** The service may list an item this many seconds after its creation, and a filter may match it only then. */
const reach = SECONDS_PER_DAY;
/** A read goes back at least this many times as far as the one before was ago. */
const overlap = 4;
/** If the entire day takes no more pages than this, every read covers it. */
const fewPages = 2;

interface NewRows extends ListSource {
  /** Only items created since then are returned. By default, the service's present. */
  readonly from: Instant | undefined;
  readonly saved: Earlier | undefined;
  /** The service's present in Unix seconds. */
  readonly present: () => number;
  /** In Unix seconds. Rows with a later time have a wrong date. */
  readonly latest: () => number;
  /** Called right after the response with the row. */
  readonly shown: (row: FollowedRow) => FollowedRow;
}

/**
 * Follows a search for items by the time of their creation: each is returned once, when the search first lists it. Every
 * second read goes back twice as far, every fourth one four times as far, and so on, up to a day. An item that is listed
 * late is thus found before twice that time has passed, and the long reads cost little.
 */
export async function beginNewRows({
  from,
  saved,
  present,
  latest,
  shown,
  ...source
}: NewRows): Promise<RowSource> {
  const { client, request, pageSize, isStrict } = source;
  const shape = rowShape(request.endpoint);
  const rowsOf = ({ rows }: Page): readonly FollowedRow[] =>
    rows.values().map((value, index) => readFollowedRow(shape, rows.text(index), value));
  const newestFirst = new Map([...request.args, ["order_by", "created_at"], ["sort", "desc"]]);
  const list = plainList(pageSize, isStrict);
  const begin = saved?.from.seconds ?? from?.seconds ?? (await findStart());
  const known = new Map((saved?.rows ?? []).map(({ key, at }) => [key, at.seconds]));
  // Rows that are dated in the future do not show how far the reads have come.
  const newestOf = (times: readonly number[], least: number): number =>
    times.reduce((most, seconds) => (seconds > present() + reach ? most : Math.max(most, seconds)), least);
  let newest = newestOf([...known.values()], begin);
  let last = newest;
  let [reads, pagesOfDay] = [0, 0];

  /** A response shows the service's time, which the local clock may not have. */
  async function findStart(): Promise<number> {
    for await (const page of readPages(client, request.endpoint, newestFirst, { ...list, pageSize: 1 })) {
      const [first] = rowsOf(page);
      // A row with a later time has a wrong date: no pool would ever be newer.
      return Math.max(present(), first !== undefined && first.at.seconds <= latest() ? first.at.seconds : 0);
    }
    return present();
  }

  async function* read(): AsyncGenerator<Found> {
    const now = present();
    reads += 1;
    const depth = overlap * Math.max(15, now - last) * (reads & -reads);
    const isOfDay = pagesOfDay <= fewPages || depth >= reach;
    const since = Math.max(begin, isOfDay ? Math.min(now, last) - reach : now - depth);
    const args = new Map([...newestFirst, ["created_after", wireOf(since)]]);
    const fresh = new Map<string, FollowedRow>();
    let pages = 0;
    for await (const page of readPages(client, request.endpoint, args, list)) {
      pages += 1;
      for (const row of rowsOf(page))
        if (row.at.seconds >= since && !known.has(row.key)) fresh.set(row.key, shown(row));
    }
    pagesOfDay = isOfDay ? pages : Math.max(pages, pagesOfDay);
    last = now;
    const rows = [...fresh.values()].toReversed().toSorted((a, b) => compareInstants(a.at, b.at));
    for (const { key, at } of rows) known.set(key, at.seconds);
    newest = newestOf(
      rows.map(({ at }) => at.seconds),
      newest,
    );
    // The next run reads from a day before the newest known row, which can be weeks ago.
    const needed = Math.min(now - 2 * reach, newest - reach);
    for (const [key, seconds] of known) if (seconds < needed) known.delete(key);
    yield { rows, isPresent: false, doubt: undefined, missing: 0, forgotten: 0 };
  }

  return {
    read,
    recheckAt: () => Number.POSITIVE_INFINITY,
    from: () => ({ seconds: begin, fraction: "" }),
    giveUp: () => undefined,
    state: (unwritten) => ({ from: begin, rows: [...known].filter(([key]) => !unwritten.has(key)) }),
  };
}
