import { compactJson } from "../../json/json-text.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import { createRowSelector } from "./select-row.ts";
import { writeJson } from "./write-json.ts";

/**
 * One line a row, the service's own text: only white space between tokens goes, and what could act on a terminal
 * is escaped. Where several groups are shown, a line says which one its row belongs to.
 */
export function createNdjson({ output, groups, fields }: Presentation): Renderer {
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
