import { member } from "../base/json/json-scan.ts";

/**
 * `client/` compiles this into a check, `render/` formats values with it, and the sandbox tests compare responses with
 * it. Source: the specification's Resources section.
 */
export interface RecordShape {
  readonly [field: string]: Field;
}

/** The names, such as `found-token`, appear in `dexdata schema` and in the library's types. */
export interface NamedRecord {
  readonly name: string;
  readonly record: RecordShape;
}

export interface Field {
  readonly type: FieldType;
  /** How the value is displayed; see render/values/cell.ts. */
  readonly reads: Reading;
  readonly optional: boolean;
  readonly nullable: boolean;
  /** The service sends the key only with `detailed=true`. */
  readonly isDetail: boolean;
  /** The value is in the token's smallest unit; `decimals` in the same record scales it. */
  readonly isRaw: boolean;
  /** Known since Parquet's columns were frozen, so files have it in the column `other`. */
  readonly isLater: boolean;
  /** An amount of the token itself, although fields with such names are in USD elsewhere. */
  readonly isInTokens: boolean;
}

export type FieldType =
  | { readonly kind: "text" | "number" | "integer" | "boolean" | "any" }
  /** Keeps all digits. The service differs from the specification here (amounts, recipient). */
  | { readonly kind: "number-or-text" }
  | { readonly kind: "record"; readonly record: RecordShape }
  | { readonly kind: "list"; readonly record: RecordShape };

/**
 * An `amount` is in USD or a token, a `price` keeps its significant digits, a `duration` is in seconds, and a `mark`
 * shows its name if true.
 */
export type Reading =
  | "text"
  | "address"
  | "price"
  | "amount"
  | "count"
  | "percent"
  | "duration"
  | "time"
  | "yes-no"
  | "trade-type"
  | "no-price-reason"
  | "mark";

/** See `typeOfTrade` in endpoints/pool-transactions.ts. */
export const tradeTypes = ["swap", "liquidity", "?"] as const;

/** Why an asset has no price at the requested time. */
export const noPriceReasons = {
  no_trade: {
    meaning: "No candle with a trade closed within --max-age before the requested time",
    next: "raise --max-age",
  },
  outside_plan: {
    meaning: "The plan does not include candles this old",
    next: "use a later time, or upgrade; see each plan: dexdata help credits",
  },
  too_recent: {
    meaning: "The data are delayed on some plans, and may not include this time yet",
    next: "try again later",
  },
  in_future: { meaning: "The requested time is in the future", next: "correct the time" },
  unknown_token: {
    meaning: "No token was found at this address (with --pool, no pool); the network may not exist",
    next: "for pools, add --pool; otherwise, search all networks: dexdata search <address>",
  },
  zero_quote: { meaning: "The price of the token of --in is 0", next: "use another token with --in" },
} as const;
export type NoPriceReason = keyof typeof noPriceReasons;

const required = { optional: false, nullable: false };
const unmarked = { isDetail: false, isRaw: false, isLater: false, isInTokens: false };

const plain = (kind: "text" | "number" | "integer" | "boolean" | "any", reads: Reading): Field => ({
  type: { kind },
  reads,
  ...required,
  ...unmarked,
});

export const text = plain("text", "text");
export const tradeType = plain("text", "trade-type");
export const address = plain("text", "address");
/** RFC 3339 in UTC, with 0 to 9 fractional digits. */
export const time = plain("text", "time");
/** In USD, or in units of another token. */
export const price = plain("number", "price");
/** Usually in USD; sent as a JSON double. */
export const amount = plain("number", "amount");
export const tokenAmount: Field = { ...amount, isInTokens: true };
/** Signed percentage. */
export const percent = plain("number", "percent");
export const count = plain("integer", "count");
/** Displayed without separators, because a block number is not a quantity. */
export const blockNumber = plain("integer", "text");
/** Counts nothing: the place in a block or transaction, or a number of decimal places. */
export const position = plain("integer", "text");
export const yesNo = plain("boolean", "yes-no");
export const mark = plain("boolean", "mark");
export const anything = plain("any", "text");
export const numberOrText: Field = { ...text, type: { kind: "number-or-text" } };

export const record = (fields: RecordShape): Field => ({
  ...anything,
  type: { kind: "record", record: fields },
});
export const listOf = (fields: RecordShape): Field => ({
  ...anything,
  type: { kind: "list", record: fields },
});

/** The specification allows the key to be absent, or the public service omits it. */
export const optional = (field: Field): Field => ({ ...field, optional: true });
/** Null or absent, for example in pools with little activity, although the specification requires a number. */
export const nullable = (field: Field): Field => ({ ...field, optional: true, nullable: true });

export const inDetail = (field: Field): Field => ({ ...optional(field), isDetail: true });

export const later = (field: Field): Field => ({ ...field, isLater: true });

/** Splits `names` at spaces. */
export const each = (names: string, field: Field): RecordShape =>
  Object.fromEntries(names.split(" ").map((name) => [name, field]));

/** From longest to shortest. */
export const windows = "24h 6h 1h 30m 15m 5m";

/** The signed amount of a token that a trade moved, whether it is a swap, or its value in USD. */
export type TradePart = "amount 0" | "amount 1" | "type" | "size";

/** Splits `24h.volume_usd` into its names. */
export function splitPath(path: string): readonly string[] {
  return path.split(".");
}

/** Steps are names in objects, indices in arrays, or `*` for all elements. Inherited properties are never returned. */
export function valueAt(value: unknown, path: readonly string[], from = 0): unknown {
  let reached = value;
  for (let depth = from; depth < path.length; depth++) {
    const step = path[depth] ?? "";
    if (typeof reached !== "object" || reached === null) return undefined;
    if (!Array.isArray(reached)) reached = member(reached, step);
    else if (step === "*") return reached.map((item: unknown) => valueAt(item, path, depth + 1) ?? null);
    else reached = /^(?:0|[1-9]\d*)$/.test(step) ? reached[Number(step)] : undefined;
  }
  return reached;
}

/** Returns undefined for a path that is not in the contract. */
export function fieldAt(shape: RecordShape, path: readonly string[]): Field | undefined {
  let fields: RecordShape | undefined = shape;
  let field: Field | undefined;
  for (const step of path) {
    if (field?.type.kind === "any") return field;
    if (field?.type.kind === "list" && /^(?:\d+|\*)$/.test(step)) {
      // The element is an object of the list's shape, so the index does not select a field.
      field = { ...field, type: { kind: "record", record: field.type.record } };
      continue;
    }
    fields = field === undefined ? shape : field.type.kind === "record" ? field.type.record : undefined;
    if (fields === undefined || !Object.hasOwn(fields, step)) return undefined;
    field = fields[step];
  }
  return field;
}
