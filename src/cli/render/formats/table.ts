import type { Presentation, Renderer, Format, LocalLook, LocalRow } from "../renderer.ts";
import { createDocuments } from "./json.ts";
import { jsonLine } from "../values/row-text.ts";

/** Output for programs does not need cli-table3 or colors, so the drawing code is loaded on first use. */
export const table: Format = {
  summary:
    "For people, fitted to the terminal width; default on a terminal. Numbers are shortened, and addresses if necessary.",
  columns: "guessed",
  ending: undefined,
  // The columns are fitted to the first rows, so a later run cannot append to them.
  canGrow: false,
  isClosed: false,
  errors: "text",
  createRenderer,
  local: {
    rows: drawRows,
    record: drawRecord,
    // Only for pipes. On a terminal, commands draw such an object themselves.
    document: (document) => jsonLine(document, false),
  },
};

export const wide: Format = {
  ...table,
  summary: "Like table, with every column, even beyond the terminal width",
};

async function createRenderer(presentation: Presentation): Promise<Renderer> {
  const { isWhole, chart, isRecord, columns } = presentation;
  if (isWhole) return createDocuments(presentation, true);
  if (chart !== undefined)
    return (await import("../chart/chart-view.ts")).createChartView(presentation, chart);
  return isRecord && columns === undefined
    ? (await import("../table/record-view.ts")).createRecordView(presentation)
    : (await import("../table/list-view.ts")).createListView(presentation);
}

async function drawRows(rows: readonly LocalRow[], look: LocalLook): Promise<string> {
  return (await import("../table/local-table.ts")).drawLocalTable(rows, look);
}

async function drawRecord(record: LocalRow, look: LocalLook): Promise<string> {
  const lines = Object.entries(record).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  return await drawRows(lines, { ...look, hasHeader: false });
}
