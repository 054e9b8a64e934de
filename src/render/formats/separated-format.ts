import type { Format, LocalLook, LocalRow, Writing } from "./format.ts";

/** Most cells match this pattern, and every format writes them unchanged. */
export const PLAIN = /^[0-9A-Za-z][\w .:/$#()-]*$/;

/** A format of separated values: a header line with the names of the columns, then one line per row. */
export function separatedFormat(ending: string, summary: string, writing: Writing): Format {
  const local = async (rows: readonly LocalRow[], { hasHeader }: LocalLook): Promise<string> =>
    (await import("./separated-rows.ts")).localLines(rows, hasHeader, writing);
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
