import type { LocalRow } from "../table/local-table.ts";
import type { Format } from "./format.ts";
import { separatedLine, type Writing } from "./separated-text.ts";

/** A format of separated values: a line that names the columns, and a line a row. */
export function separatedFormat(ending: string, summary: string, writing: Writing): Format {
  const local = (rows: readonly LocalRow[], { hasHeader }: { readonly hasHeader: boolean }): string => {
    const names = Object.keys(rows[0] ?? {});
    const header = hasHeader
      ? separatedLine(
          names.map((text) => ({ text })),
          writing,
        )
      : "";
    const lines = rows.map((row) =>
      separatedLine(
        names.map((name) => JSON.stringify(row[name])),
        writing,
      ),
    );
    return header + lines.join("");
  };
  return {
    summary,
    columns: "named",
    ending,
    canGrow: true,
    isClosed: false,
    errors: "text",
    createRenderer: async (presentation) =>
      (await import("./separated-rows.ts")).createSeparated(presentation, writing),
    local: { rows: local, record: (record, look) => local([record], look) },
  };
}
