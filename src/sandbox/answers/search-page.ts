import type { Json, JsonObject } from "../json-writer.ts";
import type { NetworkFacts } from "../market/types.ts";
import type { Query } from "../query.ts";
import type { RecentLists } from "../recent-lists.ts";
import { type Asked, networkNamed, networkOf, supportedNetworks } from "./answer.ts";
import { readCursor, writeCursor } from "./page-cursor.ts";

/** What the four searches differ in. `at`: unix seconds of the first page. */
export interface Search<T> {
  /** Values an item can be ordered by; null stands last in either direction. The first is the default. */
  readonly orders: Readonly<Record<string, Measure<T>>>;
  /** Values with a `_min` and a `_max` filter, both inclusive; null passes no filter. */
  readonly filters: Readonly<Record<string, Measure<T>>>;
  readonly createdAt: (item: T) => number;
  readonly items: (networks: readonly NetworkFacts[], at: number) => readonly T[];
  /** Further filters, as the echo names them. */
  readonly further: Further<T>;
  readonly lists: RecentLists<T>;
  readonly row: (item: T, at: number, detailed: boolean) => JsonObject;
  /** How the echo says which networks were searched. */
  readonly echoNetworks: (networks: readonly string[], isAcross: boolean) => JsonObject;
}

export type Measure<T> = (item: T, at: number) => number | null;

/** A filter that does not apply is undefined and is not echoed. */
export type Further<T> = readonly { name: string; value: string | undefined; passes: (item: T) => boolean }[];

interface Bound<T> {
  readonly name: string;
  readonly value: number;
  readonly passes: (item: T, at: number) => boolean;
}

/** Specification, Pagination styles 1: one page of a search, with the parameters used in `query`. */
export function searchPage<T>(asked: Asked, search: Search<T>): Json {
  const { query } = asked;
  const isAcross = !asked.path.has("network");
  const networks = isAcross ? chosenNetworks(asked) : [networkOf(asked)];
  const limit = query.integer("limit", 1, 100) ?? 10;
  const cursorText = query.text("cursor");
  const { at, offset } =
    cursorText === undefined ? { at: asked.at, offset: 0 } : readCursor(cursorText, asked.at);
  const orderNames = Object.keys(search.orders);
  const orderBy = query.choice("order_by", orderNames) ?? orderNames[0] ?? "";
  const sort = query.choice("sort", ["asc", "desc"]) ?? "desc";
  const detailed = query.boolean("detailed") ?? false;
  const bounds = readBounds(query.countedFrom(at), search);
  const further = search.further.filter(({ value }) => value !== undefined);
  const applied = Object.fromEntries([...bounds, ...further].map(({ name, value }) => [name, value ?? ""]));

  const key = JSON.stringify([at, networks.map(({ id }) => id), orderBy, sort, applied]);
  const found = search.lists.get(key, () => {
    const items = search
      .items(networks, at)
      .filter((item) => further.every(({ passes }) => passes(item)))
      .filter((item) => bounds.every(({ passes }) => passes(item, at)));
    return order(items, search.orders[orderBy], sort, at);
  });
  const end = offset + limit;
  const hasNextPage = end < found.length;
  return {
    results: found.slice(offset, end).map((item) => search.row(item, at, detailed)),
    has_next_page: hasNextPage,
    next_cursor: hasNextPage ? writeCursor({ at, offset: end }) : "",
    query: {
      ...search.echoNetworks(
        networks.map(({ id }) => id),
        isAcross,
      ),
      limit,
      cursor: cursorText,
      order_by: orderBy,
      sort,
      ...applied,
      detailed,
    },
  };
}

/** `chains` of the searches across networks; without it, all of them. */
function chosenNetworks(asked: Asked): readonly NetworkFacts[] {
  const slugs = asked.query
    .all("chains")
    .flatMap((value) => value.split(","))
    .filter((slug) => slug !== "");
  if (slugs.length === 0) return supportedNetworks(asked);
  return [...new Set(slugs)].map((slug) => networkNamed(asked, slug));
}

function readBounds<T>(query: Query, { filters, createdAt }: Search<T>): readonly Bound<T>[] {
  const bounds: Bound<T>[] = [];
  const add = (
    name: string,
    value: number | undefined,
    passes: (value: number) => Bound<T>["passes"],
  ): void => {
    if (value !== undefined) bounds.push({ name, value, passes: passes(value) });
  };
  for (const [name, measure] of Object.entries(filters)) {
    add(`${name}_min`, query.number(`${name}_min`), (least) => (item, at) => {
      const value = measure(item, at);
      return value !== null && value >= least;
    });
    add(`${name}_max`, query.number(`${name}_max`), (most) => (item, at) => {
      const value = measure(item, at);
      return value !== null && value <= most;
    });
  }
  add("created_after", query.from("created_after"), (first) => (item) => createdAt(item) >= first);
  add("created_before", query.to("created_before"), (last) => (item) => createdAt(item) <= last);
  return bounds;
}

/** Items of equal value keep the market's order, so that pages never overlap. */
function order<T>(
  items: readonly T[],
  measure: Measure<T> | undefined,
  sort: "asc" | "desc",
  at: number,
): readonly T[] {
  const sign = sort === "asc" ? 1 : -1;
  return items
    .map((item) => ({ item, value: measure?.(item, at) ?? null }))
    .toSorted((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      return sign * (a.value - b.value);
    })
    .map(({ item }) => item);
}
