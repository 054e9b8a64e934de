/** A JSON value that may hold integers of any length; members that are undefined are left out. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/**
 * `JSON.stringify` refuses a bigint, and a double in its place would lose digits above 2^53: total supplies and raw
 * amounts go out digit by digit. Only what JSON itself demands is escaped, so bidi marks in a token's name reach the
 * client as the chain has them.
 */
export function writeJson(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`JSON has no ${value}`);
  if (value === null || typeof value !== "object") return String(value);
  return isList(value) ? `[${value.map(writeJson).join(",")}]` : writeObject(value);
}

function writeObject(object: JsonObject): string {
  let text = "";
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    // Names are the specification's words, which need no escapes.
    text += `${text === "" ? "" : ","}"${name}":${writeJson(value)}`;
  }
  return `{${text}}`;
}

function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}
