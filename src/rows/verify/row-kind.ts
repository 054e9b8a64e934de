import { groupsIn } from "../../api/reply.ts";
import type { RowShape } from "../../api/endpoint.ts";
import { endpoints } from "../../api/endpoints/all.ts";
import { feeds } from "../../api/feeds.ts";
import type { WantedKind, Mismatch } from "../verify-rules.ts";
import { poolPeriods } from "../../api/endpoints/searches.ts";
import { timedPrices } from "../../api/endpoints/prices.ts";
import { compileRowCheck } from "../../api/row-check.ts";
import { entryOf } from "../../base/json/json-scan.ts";
import { numberOrText, type RecordShape } from "../../api/record.ts";
import type { Row, Values } from "./row.ts";

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

const pastPrices = [true, false].map((isQuoted) => timedPrices({ isQuoted, hasTimes: true }, "free"));

/** Events have no identity, but are recognized by the fields that all of them have. */
const eventKinds = Object.values(feeds).flatMap((feed) =>
  feed.kinds.map(({ event }): RowKind => {
    const identity = Object.entries(event.record).flatMap(([name, { optional }]) => (optional ? [] : [name]));
    const shape = { ...event, identity, columns: [] };
    return { name: "other", shape, isList: false, timeField: undefined, assetFields: [] };
  }),
);

const rowKinds = [...endpoints, poolPeriods, ...pastPrices].flatMap(({ rows, reply }) =>
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

const kinds: readonly RowKind[] = [...rowKinds, ...eventKinds];

const isField = ({ ofMany, record, added }: RowShape, name: string): boolean =>
  Object.hasOwn({ ...ofMany?.record, ...record, ...added?.record }, name);

/** Undefined for `other`, and if the names of the first row are clearly those of another kind than the wanted one. */
export function kindOfRows(first: Values, wanted: WantedKind | undefined): RowKind | undefined {
  const names = Object.keys(first);
  const own = kindOfRow(names, first);
  if (wanted === undefined) return own;
  const kind = kinds.find(({ name }) => name === wanted);
  if (wanted === "other" || kind === undefined) return undefined;
  const fits = own === undefined || own.name === wanted || names.every((name) => isField(kind.shape, name));
  return fits ? kind : undefined;
}

/** The kind whose fields fit the names of the first row best; undefined if the row has too few of them. */
function kindOfRow(names: readonly string[], first: Values): RowKind | undefined {
  // Optional fields alone fit any kind.
  if (names.length === 0) return undefined;
  const fitOf = ({ shape }: RowKind): number => {
    const missing = Object.entries(shape.record).filter(
      ([name, { optional }]) => !optional && !names.includes(name),
    );
    const isMarked = shape.identity.every((name) => names.includes(name));
    return isMarked ? names.filter((name) => isField(shape, name)).length - missing.length : -1;
  };
  const [best] = kinds.map((kind) => ({ kind, fit: fitOf(kind) })).toSorted((a, b) => b.fit - a.fit);
  return best === undefined || best.fit < Math.min(2, names.length) ? kindOfChosen(names, first) : best.kind;
}

/** The members of a response that have its rows: `{"transactions":[…],"page_info":{…}}` is a response and not a row. */
const listNames: ReadonlySet<string> = new Set(
  endpoints.flatMap(({ reply }) => ("rows" in reply ? [reply.rows] : (groupsIn(reply) ?? []))),
);

/** Rows with chosen fields may lack those that identify them. Undefined if a name is unknown. */
function kindOfChosen(names: readonly string[], first: Values): RowKind | undefined {
  // A row can have a number of pools.
  const isResponse = names.some((name) => listNames.has(name) && Array.isArray(first[name]));
  if (isResponse) return undefined;
  const fitting = kinds.filter(({ shape }) => names.every((name) => isField(shape, name)));
  const own = new Set(fitting.map(({ name }) => name));
  return own.size === 1 ? fitting[0] : fitting.find(({ name }) => name === "other");
}

/** The object that contains a row: one of a `search`, with its group, or one of `--envelope`. */
export interface Wrapper {
  readonly row: string;
  readonly beside: readonly string[];
  /** The member that tells which kind of row it is. */
  readonly sortedBy: string | undefined;
}

const wrappers: readonly Wrapper[] = [
  { row: "row", beside: ["group"], sortedBy: "group" },
  { row: "row", beside: ["first_seen", "as_of"], sortedBy: undefined },
  {
    row: "data",
    beside: "feed event id request_id network address received".split(" "),
    sortedBy: "event",
  },
];

/** Undefined if each line is a row itself. */
export function wrapperOf(names: readonly string[]): Wrapper | undefined {
  return wrappers.find(
    ({ row, beside }) =>
      names.length > 1 && names.includes(row) && names.every((name) => name === row || beside.includes(name)),
  );
}

/** Whether the JSON is the response to a search for a word, which has several groups of rows. */
export function hasGroups(names: readonly string[]): boolean {
  return endpoints.some(({ reply }) => {
    const groups = groupsIn(reply) ?? [];
    return names.length > 1 && names.every((name) => groups.includes(name));
  });
}

/** In csv and tsv, values have no types. In Parquet, values that do not fit their column are null. */
export type RowForm = "json" | "text" | "parquet";

/**
 * Returns the contract of the rows of one file, and a check for R1. `--fields` selects the same fields for all rows, so
 * that those absent from the first row may be absent. R4 checks the time.
 */
export function createTypeCheck({ shape: { record, added }, timeField }: RowKind, first: Row, form: RowForm) {
  const all: RecordShape = { ...record, ...added?.record };
  const shape: RecordShape = Object.fromEntries(
    Object.entries(all).flatMap(([name, field]) => {
      if (name === timeField) return [];
      const isOptional = field.optional || form !== "json" || first.text(name) === undefined;
      const isNullable = field.nullable || added?.nulls.includes(name) === true;
      // Canonical rows have decimals as text.
      const type = form === "parquet" && field.isRaw ? numberOrText.type : field.type;
      return [[name, { ...field, type, optional: isOptional, nullable: isNullable }] as const];
    }),
  );
  const problemOf = compileRowCheck(shape);
  return {
    shape,
    mismatch: (row: Row): Mismatch | undefined => {
      const { line, values } = row;
      const problem = values && problemOf(form === "text" ? withTypes(values, shape) : values);
      if (problem === undefined) return undefined;
      const { field, expected } = problem;
      return { line, field, expected, found: row.text(field.split(".")[0] ?? "") ?? "no value" };
    },
  };
}

/** A cell that is not a value of its field's type remains text, so that the check fails. */
function withTypes(cells: Values, shape: RecordShape): object {
  return Object.fromEntries(
    Object.entries(cells).map(([name, cell]) => {
      const kind = entryOf(shape, name)?.type.kind;
      const isJson = /^(?:true|false|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/u.test(String(cell));
      const isTyped = kind === "number" || kind === "integer" || kind === "boolean";
      if (kind === "record" || kind === "list") return [name, undefined];
      return [name, isTyped && isJson ? (JSON.parse(String(cell)) as unknown) : cell];
    }),
  );
}
