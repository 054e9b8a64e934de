/** A JSON value that may contain integers of any length; undefined members are left out. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/**
 * `JSON.stringify` rejects a bigint, and a double in its place would lose digits above 2^53: total supplies and raw
 * amounts are written digit by digit. Only what JSON itself requires is escaped, so bidi marks in a token's name reach the
 * client as they are on the chain.
 */
export function writeJson(value: Json): string {
  // Where there is no bigint, which is nearly everywhere, JSON.stringify writes the same text five times faster.
  if (!holdsBigint(value)) return JSON.stringify(value);
  if (value === null || typeof value !== "object") return String(value);
  if (isList(value)) return `[${value.map(writeJson).join(",")}]`;
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(name)}:${writeJson(member)}`],
  );
  return `{${members.join(",")}}`;
}

/** Throws for a number that JSON does not have; `JSON.stringify` would write null. */
function holdsBigint(value: Json): boolean {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Error(`JSON has no ${value}`);
    return false;
  }
  if (value === null || typeof value !== "object") return typeof value === "bigint";
  if (isList(value)) return value.some(holdsBigint);
  for (const name in value) if (holdsBigint(value[name] ?? null)) return true;
  return false;
}

function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}
