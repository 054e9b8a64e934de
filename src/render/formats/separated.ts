import { rowShape } from "../../contract/endpoint.ts";
import type { Separated } from "../../contract/output-format.ts";
import { createPathReader } from "../../json/path-reader.ts";
import { tableColumns } from "../table/columns.ts";
import { rowsOfDocument } from "../document.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import { splitPath } from "./select-row.ts";
import { type SeparatedCell, separatedLine } from "./separated-text.ts";

/**
 * Comma- or tab-separated values: a header of paths, then a line a row. The columns are those asked for, or the
 * table's, each name a row may have them under by itself; they are settled before the first row. Where several groups
 * are shown, the first column says which one a row belongs to, and the columns of all of them follow.
 */
export function createSeparated(presentation: Presentation, format: Separated): Renderer {
  const { output, groups, isContinued, hasHeader = true, isWhole = false } = presentation;
  const paths = columnPaths(presentation);
  const read = createPathReader(paths.map(splitPath));
  const isLabelled = groups.length > 1;
  let header =
    isContinued || !hasHeader
      ? ""
      : separatedLine(
          [...(isLabelled ? ["group"] : []), ...paths].map((text) => ({ text })),
          format,
        );

  const lineOf = (group: string, row: string): string => {
    const cells: readonly SeparatedCell[] = read(row);
    return separatedLine(isLabelled ? [{ text: group }, ...cells] : cells, format);
  };

  return {
    page: async ({ group, rows }) => {
      if (rows.length === 0 || !groups.includes(group)) return;
      let lines = header;
      header = "";
      for (const row of isWhole ? rows.texts().flatMap(rowsOfDocument) : rows.texts())
        lines += lineOf(group, row);
      await output.write(lines);
    },
    end: async () => {
      // Nothing found has columns all the same.
      if (header !== "") await output.write(header);
    },
  };
}

function columnPaths(presentation: Presentation): readonly string[] {
  const { endpoint, groups } = presentation;
  const columns = groups.flatMap((group) => tableColumns(rowShape(endpoint, group), presentation));
  return [...new Set(columns.flatMap(({ paths }) => paths.map((path) => path.join("."))))];
}
