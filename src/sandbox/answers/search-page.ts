import type { Json, JsonObject } from "../wire/json-writer.ts";
import type { Query } from "../wire/query.ts";
import type { Recent } from "../recent.ts";
import { type Asked, networkNamed, networkOf, readCursor, supportedNetworks, writeCursor } from "./answer.ts";
import { eachInSteps, shareWork, type Work } from "../work.ts";
import type { NetworkFacts } from "../well-known.ts";

/** The differences among the four searches. `at` is the time of the first page, in Unix seconds. */
interface Search<T> {
  /** The first is the default. Null sorts last in both directions. */
  readonly orders: Readonly<Record<string, Measure<T>>>;
  /** Values with inclusive `_min` and `_max` filters. Null never matches. */
  readonly filters: Readonly<Record<string, Measure<T>>>;
  readonly itemsOf: (network: NetworkFacts, at: number) => readonly T[];
  readonly further: readonly Further<T>[];
  readonly lists: Recent<string, () => Work<readonly T[]>>;
  readonly row: (item: T, at: number, detailed: boolean) => Work<JsonObject>;
  readonly echoNetworks: (networks: readonly string[], isAcross: boolean) => JsonObject;
}

export type Measure<T> = (item: T, at: number) => number | null;

/** A filter under its name in the echo. Without a value, it is not echoed. */
export interface Further<T> {
  readonly name: string;
  readonly value: string | number | undefined;
  readonly passes: (item: T, at: number) => boolean;
}

/** Specification, Pagination styles 1. */
export function* searchPage<T extends { readonly createdAt: number }>(
  asked: Asked,
  search: Search<T>,
): Work<Json> {
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
  const filters = [...readBounds(query.countedFrom(at), search.filters), ...search.further].filter(
    ({ value }) => value !== undefined,
  );
  const applied = Object.fromEntries(filters.map(({ name, value }) => [name, value ?? ""]));
  const slugs = networks.map(({ id }) => id);
  const key = JSON.stringify([asked.market.faultName, at, slugs, orderBy, sort, applied]);
  const wanted: Wanted<T> = { networks, filters, measure: search.orders[orderBy], sort, at };
  const found = yield* search.lists.recall(key, () => shareWork(findItems(asked, search, wanted)))();
  const end = offset + limit;
  const results: JsonObject[] = [];
  for (const item of found.slice(offset, end)) {
    yield;
    results.push(yield* search.row(item, at, detailed));
  }
  const hasNextPage = end < found.length;
  return {
    results,
    has_next_page: hasNextPage,
    next_cursor: hasNextPage ? writeCursor({ at, offset: end }) : "",
    query: {
      ...search.echoNetworks(slugs, isAcross),
      limit,
      cursor: cursorText,
      order_by: orderBy,
      sort,
      ...applied,
      detailed,
    },
  };
}

/** Cross-network searches cover all networks if `chains` is missing. */
function chosenNetworks(asked: Asked): readonly NetworkFacts[] {
  const slugs = asked.query.list("chains");
  if (slugs.length === 0) return supportedNetworks(asked);
  return [...new Set(slugs)].map((slug) => networkNamed(asked, slug));
}

const isLeast = (value: number, least: number): boolean => value >= least;
const isMost = (value: number, most: number): boolean => value <= most;

function readBounds<T extends { readonly createdAt: number }>(
  query: Query,
  filters: Search<T>["filters"],
): readonly Further<T>[] {
  const bounds = Object.entries(filters).flatMap(([name, measure]) => [
    makeBound(`${name}_min`, query.number(`${name}_min`), measure, isLeast),
    makeBound(`${name}_max`, query.number(`${name}_max`), measure, isMost),
  ]);
  return [
    ...bounds,
    makeBound("created_after", query.from("created_after"), (item) => item.createdAt, isLeast),
    makeBound("created_before", query.to("created_before"), (item) => item.createdAt, isMost),
  ];
}

function makeBound<T>(
  name: string,
  bound: number | undefined,
  measure: Measure<T>,
  isInside: (value: number, bound: number) => boolean,
): Further<T> {
  const passes = (item: T, at: number): boolean => {
    const value = measure(item, at);
    return value !== null && bound !== undefined && isInside(value, bound);
  };
  return { name, value: bound, passes };
}

interface Wanted<T> {
  readonly networks: readonly NetworkFacts[];
  readonly filters: readonly Further<T>[];
  readonly measure: Measure<T> | undefined;
  readonly sort: "asc" | "desc";
  readonly at: number;
}

/** Items with equal values keep their market order, so pages never overlap. */
function* findItems<T>(
  { market }: Asked,
  search: Search<T>,
  { networks, filters, measure, sort, at }: Wanted<T>,
): Work<readonly T[]> {
  // The last filters do not need trade totals.
  const cheapestFirst = filters.toReversed();
  const sign = sort === "asc" ? 1 : -1;
  type Measured = { readonly item: T; readonly value: number | null };
  const compare = (a: Measured, b: Measured): number =>
    a.value === null || b.value === null
      ? Number(a.value === null) - Number(b.value === null)
      : sign * (a.value - b.value);
  const found: Measured[] = [];
  for (const network of networks) {
    yield* market.prepare(network);
    const run: Measured[] = [];
    yield* eachInSteps(search.itemsOf(network, at), (item) => {
      if (cheapestFirst.every(({ passes }) => passes(item, at)))
        run.push({ item, value: measure?.(item, at) ?? null });
    });
    found.push(...run.toSorted(compare));
  }
  // Merging sorted runs is fast.
  return found.toSorted(compare).map(({ item }) => item);
}
