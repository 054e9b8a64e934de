import type { Field, NamedRecord, RecordShape } from "./record.ts";

interface Writing {
  /** The number type is the type parameter `N`, and numbers or text are always text. */
  readonly isGeneric: boolean;
  /** Returns undefined for a record that is written inline. */
  readonly nameOf: (record: RecordShape) => string | undefined;
}

/** A record that occurs several times, such as an activity window, gets its own interface. */
export function typeScript(named: NamedRecord, description: string, isGeneric: boolean): string {
  const type = typeName(named.name);
  const inner = recordsIn(named.record);
  const repeated = inner.find((record, index) => inner.indexOf(record) < index);
  const [declared, passed] = isGeneric ? ["<N = number>", "<N>"] : ["", ""];
  const nameOf = (record: RecordShape): string | undefined =>
    record === repeated ? `${type}Window${passed}` : undefined;
  const write = (name: string, record: RecordShape): string =>
    `export interface ${name}${declared} ${members(record, "", { isGeneric, nameOf })}\n`;
  const window = repeated === undefined ? "" : `\n${write(`${type}Window`, repeated)}`;
  return `/** ${description} */\n${write(type, named.record)}${window}`;
}

/** Converts `found-token` to `FoundToken`. */
export function typeName(name: string): string {
  return name.replaceAll(/(?:^|[-_])([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

function members(record: RecordShape, indent: string, writing: Writing): string {
  const inner = `${indent}  `;
  const lines = Object.entries(record).flatMap(([name, field]) => {
    const remark = remarkOf(field);
    const key = /^[a-z_]\w*$/iu.test(name) ? name : JSON.stringify(name);
    const type = `${typeOf(field, inner, writing)}${field.nullable ? " | null" : ""}`;
    const member = `${inner}${key}${field.optional ? "?" : ""}: ${type};`;
    return remark === undefined ? [member] : [`${inner}/** ${remark} */`, member];
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function typeOf({ type }: Field, indent: string, writing: Writing): string {
  switch (type.kind) {
    case "text":
      return "string";
    case "number":
    case "integer":
      return writing.isGeneric ? "N" : "number";
    case "boolean":
      return "boolean";
    case "any":
      return "unknown";
    case "number-or-text":
      return writing.isGeneric ? "string" : "string | number";
    case "record":
    case "list": {
      const object = writing.nameOf(type.record) ?? members(type.record, indent, writing);
      return type.kind === "list" ? `${object}[]` : object;
    }
  }
}

/** Returns a fact that the type does not express. */
function remarkOf({ type, reads }: Field): string | undefined {
  if (type.kind === "text" && reads === "time") return "RFC 3339, UTC";
  if (type.kind === "text" && (reads === "price" || reads === "amount")) return "a decimal number";
  if (type.kind === "number-or-text" && reads !== "address") return "in the token's smallest unit";
  return reads === "percent" ? "percent" : undefined;
}

function recordsIn(record: RecordShape): readonly RecordShape[] {
  return Object.values(record).flatMap(({ type }) =>
    type.kind === "record" || type.kind === "list" ? [type.record, ...recordsIn(type.record)] : [],
  );
}
