import { compactJson, prettyJson } from "../json/json-text.ts";
import { beginsWith, OPEN_ARRAY } from "../json/json-scan.ts";
import { rawElements } from "../json/raw-json.ts";
import type { Presentation, Renderer } from "./renderer.ts";
import { createRowSelector } from "./formats/select-row.ts";
import { writeJson } from "./formats/write-json.ts";

/**
 * Whole answers, whatever JSON they are. As NDJSON an array is one line an element and anything else one line; else
 * it is one document, pretty for a person. `--fields` chooses of the elements of an array, and of an object itself.
 */
export function createDocuments({ output, format, fields }: Presentation): Renderer {
  const select = createRowSelector(fields);
  const write = format === "table" || output.isTerminal ? prettyJson : compactJson;

  const linesOf = (document: string): readonly string[] => {
    if (format === "ndjson") return rowsOfDocument(document).map((each) => compactJson(select(each)));
    if (fields === undefined || !beginsWith(document, OPEN_ARRAY)) return [write(select(document))];
    return [write(`[${rowsOfDocument(document).map(select).join(",")}]`)];
  };

  return {
    page: async ({ rows }) => {
      const lines = rows.texts().flatMap(linesOf);
      await writeJson(output, lines.map((line) => `${line}\n`).join(""));
    },
    end: () => Promise.resolve(),
  };
}

/** The elements of an array; of anything else itself. */
export function rowsOfDocument(document: string): readonly string[] {
  return beginsWith(document, OPEN_ARRAY) ? rawElements(document) : [document];
}
