import { compactJson } from "../../json/json-text.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import type { Format } from "./format.ts";
import { createRowSelector, jsonLine, writeJson } from "./row-text.ts";
import { createDocumentLines } from "./whole-answers.ts";

export const ndjson: Format = {
  summary: "one line a row, as the service wrote it, every field and every digit; the default in a pipe",
  columns: undefined,
  ending: undefined,
  canGrow: true,
  isClosed: false,
  errors: "json",
  createRenderer: (presentation) =>
    Promise.resolve(
      presentation.isWhole === true ? createDocumentLines(presentation) : createNdjson(presentation),
    ),
  local: { rows: linesOf, record: lineOf, document: lineOf, documents: linesOf },
};

function lineOf(value: object): string {
  return jsonLine(value, false);
}

function linesOf(values: readonly object[]): string {
  return values.map(lineOf).join("");
}

/**
 * One line a row, the service's own text: only white space between tokens goes, and what could act on a terminal
 * is escaped. Where several groups are shown, a line says which one its row belongs to.
 */
function createNdjson({ output, groups, fields }: Presentation): Renderer {
  const select = createRowSelector(fields);
  const isLabelled = groups.length > 1;
  return {
    page: async ({ group, rows }) => {
      if (rows.length === 0 || !groups.includes(group)) return;
      // Most rows go out as they came.
      const ready = fields === undefined && !isLabelled ? rows.lines() : undefined;
      if (ready !== undefined) return await output.write(ready);
      const label = `{"group":${JSON.stringify(group)},"row":`;
      let lines = "";
      for (const row of rows.texts()) {
        const line = compactJson(select(row));
        lines += isLabelled ? `${label}${line}}\n` : `${line}\n`;
      }
      await writeJson(output, lines);
    },
    end: () => Promise.resolve(),
  };
}
