import { parseNumbersAsText } from "../json/exact-json.ts";
import { rawMembers } from "../json/raw-json.ts";
import type { RecordShape } from "../contract/record.ts";

/** A row of the service as a program gets it. */
export type ReadRow = (text: string) => object;

/**
 * `hasTexts`: every number is given as its text. Otherwise only raw amounts are, which services and feeds write as text
 * here and as integers of any length there: no double holds them.
 */
export function rowReader(record: RecordShape, hasTexts: boolean): ReadRow {
  if (hasTexts) return (text) => Object(parseNumbersAsText(text));
  const raw = Object.keys(record).filter((name) => record[name]?.type.kind === "number-or-text");
  if (raw.length === 0) return (text) => Object(JSON.parse(text));
  return (text) => {
    const row: object = Object(JSON.parse(text));
    const members = rawMembers(text);
    const exact = raw.flatMap((name) => {
      const value = members.get(name);
      return value !== undefined && /^[-\d]/u.test(value) ? [[name, value] as const] : [];
    });
    return Object.assign(row, Object.fromEntries(exact));
  };
}
