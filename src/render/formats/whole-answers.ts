import { compactJson, prettyJson } from "../../json/json-text.ts";
import { beginsWith, OPEN_ARRAY } from "../../json/json-scan.ts";
import { rawElements } from "../../json/raw-json.ts";
import type { Output } from "../../context/context.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import { createRowSelector, writeJson } from "./row-text.ts";

/**
 * Whole answers, whatever JSON they are: each one document. `--fields` chooses of the elements of an array, and of an
 * object itself.
 */
export function createDocuments({ output, fields }: Presentation, isPretty: boolean): Renderer {
  const select = createRowSelector(fields);
  const write = isPretty ? prettyJson : compactJson;
  return createTexts(output, (document) => {
    if (fields === undefined || !beginsWith(document, OPEN_ARRAY)) return [write(select(document))];
    return [write(`[${rowsOfDocument(document).map(select).join(",")}]`)];
  });
}

/** As NDJSON: an array is one line an element, and anything else one line. */
export function createDocumentLines({ output, fields }: Presentation): Renderer {
  const select = createRowSelector(fields);
  return createTexts(output, (document) => rowsOfDocument(document).map((each) => compactJson(select(each))));
}

function createTexts(output: Output, textsOf: (document: string) => readonly string[]): Renderer {
  return {
    page: async ({ rows }) => {
      const texts = rows.texts().flatMap(textsOf);
      await writeJson(output, texts.map((text) => `${text}\n`).join(""));
    },
    end: () => Promise.resolve(),
  };
}

/** The elements of an array; of anything else itself. */
export function rowsOfDocument(document: string): readonly string[] {
  return beginsWith(document, OPEN_ARRAY) ? rawElements(document) : [document];
}
