import type { Block } from "../../../help-page.ts";

/**
 * Blank lines separate blocks. The lines below a `Heading:` are either rows (`  term  text`, continued on lines with a
 * deeper indent) or commands to paste (`  dexdata …`).
 */
export function textPage(source: string): readonly Block[] {
  return source
    .trim()
    .split("\n\n")
    .map((part) => {
      const [first = "", ...lines] = part.split("\n");
      if (!first.endsWith(":") || lines.length === 0) return { prose: [first, ...lines].join(" ") };
      const heading = first.slice(0, -1);
      const found = lines
        .join("\n")
        .replaceAll(/\n {3,}/gu, " ")
        .matchAll(/^ {2}(.*?)(?: {2,}(.*))?$/gmu);
      const rows = [...found].map(([, term = "", text = ""]) => [term, text] as const);
      const isCommands = rows.every(([, text]) => text === "");
      return isCommands ? { heading, commands: rows.map(([term]) => term) } : { heading, rows };
    });
}

/** For textPage() to parse. */
export function tableLines(rows: readonly (readonly [term: string, text: string])[]): string {
  return rows.map(([term, text]) => `  ${term}  ${text}`).join("\n");
}
