/**
 * The responses of the service as plain data: `client/` compiles it into a check, `render/` formats values by it, and the
 * tests of the sandbox compare its responses with it. Source: specification, section Resources.
 */
export interface RecordShape {
  readonly [field: string]: Field;
}

/** A record with a name, such as `pool` or `found-token`, for `dexdata schema` and for the types of the library. */
export interface NamedRecord {
  readonly name: string;
  readonly record: RecordShape;
}

export interface Field {
  readonly type: FieldType;
  /** How the value is shown; see render/values/cell.ts. */
  readonly reads: Reading;
  readonly optional: boolean;
  readonly nullable: boolean;
  /** The key comes only with `detailed=true`. */
  readonly isDetail?: boolean;
}

export type FieldType =
  | { readonly kind: "text" | "number" | "integer" | "boolean" | "any" }
  /** The specification and practice differ (amounts, recipient): a JSON string or number, with all digits. */
  | { readonly kind: "number-or-text" }
  | { readonly kind: "record"; readonly record: RecordShape }
  | { readonly kind: "list"; readonly record: RecordShape };

/**
 * How a value is shown. `amount` is a USD or token amount, `price` keeps significant digits, and a `mark` that is true
 * shows its name.
 */
export type Reading =
  | "text"
  | "address"
  | "price"
  | "amount"
  | "count"
  | "percent"
  | "time"
  | "yes-no"
  | "mark";

const plain = (kind: "text" | "number" | "integer" | "boolean" | "any", reads: Reading): Field => ({
  type: { kind },
  reads,
  optional: false,
  nullable: false,
});

export const text = plain("text", "text");
export const address = plain("text", "address");
/** RFC 3339, UTC, 0 to 9 fraction digits. */
export const time = plain("text", "time");
/** USD, or one token in another. */
export const price = plain("number", "price");
/** Usually USD; a JSON double. */
export const amount = plain("number", "amount");
/** Percent, signed. */
export const percent = plain("number", "percent");
export const count = plain("integer", "count");
/** Names a block, as a digit string does. */
export const blockNumber = plain("integer", "text");
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

/** The key may be absent: the specification allows it, or the public service omits it. */
export const optional = (field: Field): Field => ({ ...field, optional: true });
/** The value may be null or absent, as on quiet pools, although the specification types it as a number. */
export const nullable = (field: Field): Field => ({ ...field, optional: true, nullable: true });

/** Only detailed rows have the key. */
export const inDetail = (field: Field): Field => ({ ...optional(field), isDetail: true });

/** Several fields of one type, by their names. */
export const each = (names: string, field: Field): RecordShape =>
  Object.fromEntries(names.split(" ").map((name) => [name, field]));

/** The windows of activity, longest first. */
export const windows = ["24h", "6h", "1h", "30m", "15m", "5m"] as const;

export const everyWindow = (field: Field, names: readonly string[] = windows): RecordShape =>
  Object.fromEntries(names.map((name) => [name, field]));
