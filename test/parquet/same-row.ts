import type { Field, RecordShape } from "../../src/api/record.ts";
import { rawMembers } from "../../src/base/json/json-scan.ts";

/** Compares a canonical row with its source by value, with its own arithmetic. Returns the differences. */
export function differences(source: string, canonical: string, shape: RecordShape): readonly string[] {
  const sent = rawMembers(source);
  const stored = rawMembers(canonical);
  const other = rawMembers(stored.get("other") ?? "{}");
  const wrong: string[] = [];
  const isKnown = (name: string): boolean => Object.hasOwn(shape, name);
  for (const [name, raw] of sent) {
    const field = isKnown(name) ? shape[name] : undefined;
    const exact = other.get(name);
    if (exact !== undefined) {
      if (!isSameJson(raw, exact)) wrong.push(`${name}: ${raw} is ${exact} in other`);
    } else if (field === undefined) wrong.push(`${name}: ${raw} is lost`);
    else if (raw === "null" ? stored.has(name) : !isSameValue(raw, stored.get(name), field))
      wrong.push(`${name}: ${raw} is ${String(stored.get(name))}`);
  }
  for (const name of [...other.keys(), ...stored.keys()])
    if (name !== "other" && !sent.has(name)) wrong.push(`${name} was not sent`);
  return wrong;
}

function isSameValue(raw: string, stored: string | undefined, { type, reads }: Field): boolean {
  if (stored === undefined) return false;
  if (type.kind === "any" || type.kind === "record" || type.kind === "list") return isSameJson(raw, stored);
  if (reads === "time") return JSON.parse(stored) !== undefined && nanos(raw) === nanos(stored);
  if (type.kind === "text") return JSON.parse(raw) === JSON.parse(stored);
  if (type.kind === "number-or-text" && reads === "address") {
    const sent: unknown = JSON.parse(raw);
    return JSON.parse(stored) === (typeof sent === "string" ? sent : raw);
  }
  if (type.kind === "boolean") return raw === stored;
  return isSameNumber(withoutQuotes(raw), withoutQuotes(stored));
}

const withoutQuotes = (raw: string): string => (raw.startsWith('"') ? String(JSON.parse(raw)) : raw);

/** Nanoseconds since 1970 of an RFC 3339 time, by `Date`, which knows neither nanoseconds nor lower case. */
function nanos(raw: string): bigint {
  const [, start = "", fraction = "", zone = ""] =
    /^(.{19})(?:\.(\d+))?(.*)$/u.exec(String(JSON.parse(raw)).toUpperCase()) ?? [];
  const milliseconds = new Date(`${start}${zone}`).getTime();
  if (Number.isNaN(milliseconds)) throw new Error(`${raw} is not a time`);
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, "0"));
}

/** Multiplies both until they are integers. */
function isSameNumber(one: string, other: string): boolean {
  const [a, b] = [parts(one), parts(other)];
  const lowest = a.exponent < b.exponent ? a.exponent : b.exponent;
  if (a.mantissa === 0n || b.mantissa === 0n) return a.mantissa === b.mantissa;
  if (a.exponent - lowest > 10_000n || b.exponent - lowest > 10_000n) return false;
  return a.mantissa * 10n ** (a.exponent - lowest) === b.mantissa * 10n ** (b.exponent - lowest);
}

function parts(text: string): { readonly mantissa: bigint; readonly exponent: bigint } {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return {
    mantissa: BigInt(whole + fraction),
    exponent: BigInt(exponent.replace("+", "")) - BigInt(fraction.length),
  };
}

/** Equal apart from white space and escapes, with the same digits. */
function isSameJson(one: string, other: string): boolean {
  return normal(one) === normal(other);
}

function normal(text: string): string {
  const pieces = text.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/gsu) ?? [];
  return pieces.map((piece) => (piece.startsWith('"') ? JSON.stringify(JSON.parse(piece)) : piece)).join("");
}
