import { createByteStore } from "../../../base/byte-store.ts";
import { compactJson } from "../../../base/json/json-text.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import type { Format } from "../format.ts";
import { createRowPrefix } from "./row-prefix.ts";
import { createRowSelector, jsonLine, rowTexts, writeJson } from "../values/row-text.ts";

export const ndjson: Format = {
  summary: "One line per row, as the service sent it, with every field and digit; default in a pipe",
  columns: undefined,
  ending: "ndjson",
  canGrow: true,
  isClosed: false,
  errors: "json",
  createRenderer: (presentation) => Promise.resolve(createNdjson(presentation)),
  local: { rows: linesOf, record: lineOf, document: lineOf, documents: linesOf },
};

function lineOf(value: object): string {
  return jsonLine(value, false);
}

function linesOf(values: readonly object[]): string {
  return values.map(lineOf).join("");
}

/** A page of 100 rows has about 100 kB. */
const maxOfPage = 1024 * 1024;

/**
 * Writes each row exactly as the service sent it, except that white space between tokens is removed and characters that
 * could affect a terminal are escaped. With several groups, each line names its group.
 */
function createNdjson({ output, groups, fields, prefix, isWhole }: Presentation): Renderer {
  const select = createRowSelector(fields);
  const isLabelled = groups.length > 1 && !isWhole;
  const before = prefix === undefined ? undefined : createRowPrefix(prefix);
  const store = createByteStore(maxOfPage);
  const isAsSent = fields === undefined && !isLabelled && !isWhole;
  return {
    page: async ({ group, rows }) => {
      if (rows.length === 0 || !groups.includes(group)) return;
      // Most rows can be written exactly as received.
      const ready = isAsSent && before === undefined ? rows.lines() : undefined;
      if (ready !== undefined) return await output.write(ready);
      if (isAsSent && before?.addRows(rows, store) === true) return await output.write(store.lend());
      const label = `{"group":${JSON.stringify(group)},"row":`;
      let lines = "";
      for (const row of rowTexts(rows, isWhole)) {
        const line = compactJson(select(row));
        if (before !== undefined) lines += before.ofText(row);
        lines += isLabelled ? `${label}${line}}\n` : `${line}\n`;
      }
      await writeJson(output, lines);
    },
    end: () => Promise.resolve(),
  };
}
