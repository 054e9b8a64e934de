import { json, type Reply, type SeenRequest } from "./scripted-server.ts";

/** One event of a simulated pool; `time` in unix seconds, with an optional fraction. */
export interface Event {
  readonly id: string;
  readonly log_index: number;
  readonly time: number;
  /** Its position in the chain, if the service includes it. */
  readonly created_at_block_number?: number;
  readonly transaction_index?: number;
}

/** The transaction list of a service, newest first; a test changes `events` between requests. */
export interface Listing {
  events: Event[];
  /** Excludes rows at `to`, as the public service does. */
  readonly isExclusive?: boolean;
  /** `to` is rounded down to full seconds. */
  readonly cutsFractions?: boolean;
  /** Returns the reported number of rows in place of the true one. */
  readonly total?: (items: number, request: SeenRequest) => number;
  readonly totalPages?: (pages: number) => number;
}

/** `2026-11-21T08:00:00Z`; later times are offsets in seconds. */
export const listingStart = Date.parse("2026-11-21T08:00:00Z") / 1000;

/** The time of such a service in its responses: one hour later. */
const headers = { date: new Date((listingStart + 3600) * 1000).toUTCString() };

/** Returns the responses of specification, endpoint 1, for such a list. */
export function answerOf(listing: Listing, request: SeenRequest): Reply {
  const { query } = request;
  const limit = Number(query.get("limit") ?? 10);
  const [page, cursor] = [Number(query.get("page") ?? 1), query.get("cursor")];
  if (page > 100) return json({ error: "invalid_param", param: "page" }, { status: 400 });
  const inside = listing.events.filter(rangeOf(listing, query));
  if (cursor !== null) {
    const at = inside.findLastIndex(({ id }) => id === cursor);
    if (at < 0) return json({ error: "invalid_param", param: "cursor" }, { status: 400 });
    const shown = inside.slice(at + 1, at + 1 + limit);
    const isLast = at + 1 + limit >= inside.length;
    return json({
      transactions: shown.map(toRow),
      page_info: { limit, next_cursor: isLast ? "" : shown.at(-1)?.id },
    });
  }
  const items = listing.total?.(inside.length, request) ?? inside.length;
  const pages = Math.ceil(items / limit);
  const page_info = { limit, page, total_items: items, total_pages: listing.totalPages?.(pages) ?? pages };
  return json(
    { transactions: inside.slice((page - 1) * limit, page * limit).map(toRow), page_info },
    { headers },
  );
}

function rangeOf(listing: Listing, query: URLSearchParams): (event: Event) => boolean {
  const from = secondsOf(query.get("from"), Number.NEGATIVE_INFINITY);
  const to = secondsOf(query.get("to"), Number.POSITIVE_INFINITY);
  const bound = listing.cutsFractions === true ? Math.floor(to) : to;
  return ({ time }) => time >= from && (listing.isExclusive === true ? time < bound : time <= bound);
}

function secondsOf(bound: string | null, otherwise: number): number {
  if (bound === null) return otherwise;
  return /^\d+$/u.test(bound) ? Number(bound) : Date.parse(bound) / 1000;
}

function toRow({ time, ...row }: Event): object {
  return { ...row, created_at: new Date(time * 1000).toISOString().replace(".000Z", "Z") };
}

export const nameOf = ({ id, log_index }: Pick<Event, "id" | "log_index">): string => `${id} ${log_index}`;

/** Returns `count` events with one log each, `perSecond` of them in each second. */
export function manyEvents(count: number, perSecond: number): Event[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `0x${count - index}`,
    log_index: 0,
    time: listingStart - Math.floor(index / perSecond),
  }));
}
