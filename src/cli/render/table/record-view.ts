import { onlyGroup, rowShape } from "../../../api/endpoint.ts";
import { parseExact } from "../../../base/json/exact-json.ts";
import { wrapWords } from "../../../base/text/words.ts";
import { createPaint, type Paint } from "../terminal.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import type { Cell, CellStyle } from "../values/cell.ts";
import { valueAt, splitPath } from "../values/value-at.ts";
import { padding, textWidth } from "../values/width.ts";
import { GAP, roomOf } from "./fit-columns.ts";
import { type RecordPart, recordParts } from "./record-parts.ts";
import { writeLines, createTableSection } from "./table-section.ts";

/** Draws a record as lines of names (as in `--fields`) and values. Windows and lists follow as small tables. */
export async function createRecordView(presentation: Presentation): Promise<Renderer> {
  const { output, endpoint, fields, now, isUnicode, isWide } = presentation;
  const paint = await createPaint(presentation.isColored);
  const shape = rowShape(endpoint).record;
  const hasAges = output.isTerminal;
  const countsZeros = isUnicode && hasAges;
  const style: CellStyle = { now, hasAges, isUnicode, countsZeros, isRoomy: true, findAsset: undefined };
  const room = isWide ? undefined : roomOf(output);
  const paths = fields === undefined ? [[]] : fields.map(splitPath);
  const partsOf = (row: string): readonly RecordPart[] => {
    const value = parseExact(row);
    return paths.flatMap((path) => recordParts(valueAt(value, path), path, shape, style));
  };
  let isFirst = true;

  return {
    page: async ({ rows }) => {
      for (const row of rows.texts()) {
        const earlier = presentation.before?.(onlyGroup, row);
        const parts = earlier === undefined ? partsOf(row) : markParts(partsOf(row), partsOf(earlier));
        const text = writeParts(parts, style, paint, room);
        await output.write(isFirst ? text : `\n${text}`);
        isFirst = false;
      }
    },
    end: () => Promise.resolve(),
  };
}

function writeParts(
  parts: readonly MarkedPart[],
  style: CellStyle,
  paint: Paint,
  room: number | undefined,
): string {
  const values = parts.filter((part) => part.kind === "value");
  const blocks = values.length > 0 ? [writeValues(values, paint, room)] : [];
  for (const part of parts) {
    if (part.kind === "value") continue;
    const { columns, rows, rowBefore } = part;
    const ofTable = { ...style, isRoomy: false, ...(rowBefore !== undefined && { rowBefore }) };
    const options = { columns, drawFirst: writeLines, style: ofTable, paint, room, hasHeader: true };
    const section = createTableSection(options);
    blocks.push(section.lines(rows));
  }
  return blocks.join("\n");
}

/** A longer name shifts only its own value to the right. */
const LONGEST_NAME = 32;
/** With less room, values are printed below the names. */
const LEAST_ROOM = 24;

function writeValues(
  values: readonly { readonly name: string; readonly cell: Cell }[],
  paint: Paint,
  room: number | undefined,
): string {
  const widths = values.map(({ name }) => textWidth(name)).filter((width) => width <= LONGEST_NAME);
  const nameWidth = Math.max(0, ...widths);
  const isStacked = room !== undefined && room < nameWidth + GAP + LEAST_ROOM;
  const indent = " ".repeat(isStacked ? GAP : nameWidth + GAP);
  let text = "";
  for (const { name, cell } of values) {
    const pieces = room === undefined ? [cell.text] : wrapWords(cell.text, room - indent.length, textWidth);
    const between = isStacked ? `\n${indent}` : padding(name, nameWidth) + " ".repeat(GAP);
    const lines = pieces.map((piece) => paint(piece, cell.tone)).join(`\n${indent}`);
    text += `${paint(name, "faint")}${between}${lines}\n`;
  }
  return text;
}

function markParts(parts: readonly RecordPart[], before: readonly RecordPart[]): readonly MarkedPart[] {
  const values = new Map(before.flatMap((part) => (part.kind === "value" ? [[part.name, part.cell]] : [])));
  const tables = before.filter((part) => part.kind === "table");
  let table = 0;
  return parts.map((part) => {
    if (part.kind === "value") {
      const earlier = values.get(part.name);
      if (earlier === undefined || earlier.text === part.cell.text) return part;
      return { ...part, cell: { text: `${part.cell.text} *`, tone: "changed" } };
    }
    const rows = tables[table]?.rows ?? [];
    table += 1;
    return { ...part, rowBefore: (row) => rows[part.rows.findIndex((each) => each === row)] };
  });
}

type MarkedPart = RecordPart & Pick<CellStyle, "rowBefore">;
