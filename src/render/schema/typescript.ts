import type { Field, NamedRecord, RecordShape } from "../../contract/record.ts";

export interface TypeScriptWishes {
  /** The type of a JSON number. */
  readonly number: string;
  /** The type of what may be a number or a text. */
  readonly numberOrText: string;
  /** Parameters of the interfaces with their defaults, `<N = number>`, and as they are passed on, `<N>`. */
  readonly parameters?: { readonly declared: string; readonly passed: string };
}

/** The record as an interface, with one more for what stands in it several times: a window of activity. */
export function typeScript(named: NamedRecord, description: string, wishes: TypeScriptWishes): string {
  const type = typeName(named.name);
  const window = repeatedRecord(named.record);
  const names = new Map(window === undefined ? [] : [[window, `${type}Window`]]);
  const declared = wishes.parameters?.declared ?? "";
  const write = (name: string, record: RecordShape, others: ReadonlyMap<RecordShape, string>): string =>
    `export interface ${name}${declared} ${members(record, "", { ...wishes, names: others })}\n`;
  const parts = [`/** ${description} */\n${write(type, named.record, names)}`];
  if (window !== undefined) parts.push(write(`${type}Window`, window, new Map()));
  return parts.join("\n");
}

/** `found-token` → `FoundToken` */
export function typeName(name: string): string {
  return name.replaceAll(/(?:^|[-_])([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

interface Writing extends TypeScriptWishes {
  /** Records that have an interface of their own. */
  readonly names: ReadonlyMap<RecordShape, string>;
}

function members(record: RecordShape, indent: string, writing: Writing): string {
  const inner = `${indent}  `;
  const lines = Object.entries(record).flatMap(([name, field]) => [
    ...(remarkOf(field) === undefined ? [] : [`${inner}/** ${remarkOf(field)} */`]),
    `${inner}${/^[a-z_]\w*$/iu.test(name) ? name : JSON.stringify(name)}${field.optional ? "?" : ""}: ${typeOf(field, inner, writing)};`,
  ]);
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function typeOf(field: Field, indent: string, writing: Writing): string {
  const type = nonNullType(field, indent, writing);
  return field.nullable ? `${type} | null` : type;
}

function nonNullType({ type }: Field, indent: string, writing: Writing): string {
  switch (type.kind) {
    case "text":
      return "string";
    case "number":
    case "integer":
      return writing.number;
    case "boolean":
      return "boolean";
    case "any":
      return "unknown";
    case "number-or-text":
      return writing.numberOrText;
    case "record":
      return nested(type.record, indent, writing);
    case "list":
      return `${nested(type.record, indent, writing)}[]`;
  }
}

function nested(record: RecordShape, indent: string, writing: Writing): string {
  const name = writing.names.get(record);
  return name === undefined ? members(record, indent, writing) : `${name}${writing.parameters?.passed ?? ""}`;
}

/** What the type does not say. */
function remarkOf({ type, reads }: Field): string | undefined {
  if (type.kind === "text" && reads === "time") return "RFC 3339, UTC";
  if (type.kind === "text" && (reads === "price" || reads === "amount")) return "a decimal number";
  if (type.kind === "number-or-text" && reads !== "address") return "in the token's smallest unit";
  return reads === "percent" ? "percent" : undefined;
}

/** The one record that stands in it, or in its lists, more than once. */
function repeatedRecord(record: RecordShape): RecordShape | undefined {
  const seen = new Set<RecordShape>();
  for (const inner of recordsIn(record)) {
    if (seen.has(inner)) return inner;
    seen.add(inner);
  }
  return undefined;
}

function recordsIn(record: RecordShape): readonly RecordShape[] {
  return Object.values(record).flatMap(({ type }) =>
    type.kind === "record" || type.kind === "list" ? [type.record, ...recordsIn(type.record)] : [],
  );
}
