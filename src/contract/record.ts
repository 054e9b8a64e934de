/**
 * What the service answers, as plain data: `client/` compiles it into a check, `render/` reads how a value
 * shows, the sandbox's tests hold its answers against it. Facts of the specification, section Resources.
 */
export interface RecordShape {
  readonly [field: string]: Field;
}

/** A record that has a name of its own: `pool`, `found-token`. `dexdata schema` shows it, the library's types are called after it. */
export interface NamedRecord {
  readonly name: string;
  readonly record: RecordShape;
}

export interface Field {
  readonly type: FieldType;
  /** How the value reads to a person; see render/cell.ts. */
  readonly reads: Reading;
  readonly optional: boolean;
  readonly nullable: boolean;
  /** The key comes only with `detailed=true`. */
  readonly isDetail?: boolean;
}

export type FieldType =
  | { readonly kind: "text" | "number" | "integer" | "boolean" | "any" }
  /** Typed differently by specification and practice (amounts, recipient): a JSON string or number, digits kept. */
  | { readonly kind: "number-or-text" }
  | { readonly kind: "record"; readonly record: RecordShape }
  | { readonly kind: "list"; readonly record: RecordShape };

/**
 * How a value reads to a person. `amount` is a USD or token amount, `price` keeps significant digits; a `mark` that
 * is true reads as its own name.
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

/** The key may be absent: the specification leaves it open, or the public service was seen without it. */
export const optional = (field: Field): Field => ({ ...field, optional: true });
/** The value may be null or absent: seen on quiet pools, though the specification types it as a number. */
export const nullable = (field: Field): Field => ({ ...field, optional: true, nullable: true });

/** Only rows in full have the key. */
export const inDetail = (field: Field): Field => ({ ...optional(field), isDetail: true });

/** The windows of activity, longest first. */
export const windows = ["24h", "6h", "1h", "30m", "15m", "5m"] as const;

export const everyWindow = (field: Field, names: readonly string[] = windows): RecordShape =>
  Object.fromEntries(names.map((name) => [name, field]));
