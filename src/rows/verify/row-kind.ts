import { groupsIn } from "../../api/reply.ts";
import type { RowShape } from "../../api/endpoint.ts";
import { endpoints } from "../../api/endpoints/all.ts";
import type { WantedKind } from "../verify-rules.ts";
import { poolPeriods } from "../../api/endpoints/searches.ts";

export interface RowKind {
  readonly name: "transaction" | "candle" | "other";
  readonly shape: RowShape;
  /** Whether the rows come from a list in which each row appears once. Other commands answer each input. */
  readonly isList: boolean;
  /** The field whose time orders the rows. */
  readonly timeField: string | undefined;
  /** The fields that name the pool or token of a row; not all rows have them. */
  readonly assetFields: readonly string[];
}

const kinds: readonly RowKind[] = [...endpoints, poolPeriods].flatMap(({ rows, reply }) =>
  Object.values(rows).map((shape): RowKind => {
    const isList = "maxLimit" in reply;
    if (shape.name === "transaction")
      return { name: "transaction", shape, isList, timeField: "created_at", assetFields: ["pool_id"] };
    if (shape.name === "candle")
      return { name: "candle", shape, isList, timeField: "time_open", assetFields: ["chain", "id"] };
    const timeField = shape.name === "pool-period" ? "period" : undefined;
    return { name: "other", shape, isList, timeField, assetFields: [] };
  }),
);

/** The kind whose fields fit the names of the first row best; undefined if the row has too few of them. */
export function kindOfRow(names: readonly string[]): RowKind | undefined {
  const fitOf = ({ shape }: RowKind): number => {
    const known = { ...shape.ofMany?.record, ...shape.record, ...shape.added?.record };
    const missing = Object.entries(shape.record).filter(
      ([name, { optional }]) => !optional && !names.includes(name),
    );
    const isMarked = shape.identity.every((name) => names.includes(name));
    return isMarked ? names.filter((name) => Object.hasOwn(known, name)).length - missing.length : -1;
  };
  const [best] = kinds.map((kind) => ({ kind, fit: fitOf(kind) })).toSorted((a, b) => b.fit - a.fit);
  return best === undefined || best.fit < Math.min(2, names.length) ? kindOfChosen(names) : best.kind;
}

/** The members of a response around its rows: `{"transactions":[…],"page_info":{…}}` is a response and not a row. */
const envelope: ReadonlySet<string> = new Set([
  ...endpoints.flatMap(({ reply }) => ("rows" in reply ? [reply.rows] : [])),
  ..."page_info has_next_page next_cursor query".split(" "),
]);

/** Rows with chosen fields may lack those that identify them. Undefined if a name is unknown. */
function kindOfChosen(names: readonly string[]): RowKind | undefined {
  if (names.every((name) => envelope.has(name))) return undefined;
  const fitting = kinds.filter(({ shape }) => {
    const known = { ...shape.ofMany?.record, ...shape.record, ...shape.added?.record };
    return names.every((name) => Object.hasOwn(known, name));
  });
  const own = new Set(fitting.map(({ name }) => name));
  return own.size === 1 ? fitting[0] : fitting.find(({ name }) => name === "other");
}

/** Whether this is the JSON of a response with several groups, such as that of a search for a word. */
export function hasGroups(names: readonly string[]): boolean {
  return endpoints.some(({ reply }) => {
    const groups = groupsIn(reply) ?? [];
    return names.length > 0 && names.every((name) => groups.includes(name));
  });
}

export function kindNamed(wanted: WantedKind): RowKind | undefined {
  return wanted === "other" ? undefined : kinds.find(({ name }) => name === wanted);
}
