import type { Format, LocalLook, LocalRow, Writing } from "../format.ts";

/** Most cells match this pattern, and every format writes such cells unchanged. */
export const PLAIN = /^[0-9A-Za-z][\w .:/$#()-]*$/;

/** Creates a separated-values format: a header line with the column names, then one line per row. */
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
