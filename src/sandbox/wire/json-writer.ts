/** Integers may be arbitrarily long. Undefined members are omitted. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/**
 * `JSON.stringify` rejects a bigint, and a double would lose digits above 2^53, so bigints are written with all digits.
 * Escapes only what JSON requires, so bidi marks in a token name reach the client as they are on the chain.
 */
export function writeJson(value: Json): string {
  // For values without a bigint, JSON.stringify writes the same text five times faster.
  if (!holdsBigint(value)) return JSON.stringify(value);
  if (value === null || typeof value !== "object") return String(value);
  if (isList(value)) return `[${value.map(writeJson).join(",")}]`;
  let members = "";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    members += `${members === "" ? "" : ","}${JSON.stringify(name)}:${writeJson(member)}`;
  }
  return `{${members}}`;
}

/** Throws if the value contains NaN or Infinity, because `JSON.stringify` would write null. */
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
