import { createPathReader } from "../../json/path-reader.ts";
import { parseExact } from "../../json/exact-json.ts";
import type { TableColumn } from "./columns.ts";

/**
 * Parses rows for these columns: of each only the members that one of them begins with, as most of a long row is shown
 * nowhere. One that is drawn may look at any.
 */
export function createRowReader(columns: readonly TableColumn[]): (row: string) => unknown {
  const names = [...new Set(columns.flatMap(({ paths }) => paths.map(([name = ""]) => name)))];
  if (names.includes("*") || columns.some(({ draw }) => draw !== undefined)) return parseExact;
  const read = createPathReader(names.map((name) => [name]));
  const keys = names.map((name) => `${JSON.stringify(name)}:`);
  return (row) => {
    const members: string[] = [];
    const texts = read(row);
    for (let index = 0; index < keys.length; index += 1)
      if (texts[index] !== undefined) members.push(`${keys[index]}${texts[index]}`);
    return parseExact(`{${members.join(",")}}`);
  };
}
