import { batchParam, traitsOf } from "../../../api/reply.ts";
import { valueAt } from "../../../api/record.ts";
import { rowShape } from "../../../api/endpoint.ts";
import { parseExact } from "../../../base/json/exact-json.ts";
import { createPaint, type Paint } from "../terminal.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import { columnCell, drawnColumn, type TableColumn, tableColumns } from "./columns.ts";
import { alertMark, blank, type Cell, type CellStyle, plain, sparkline } from "../values/cell.ts";
import { isObject } from "../../../base/json/json-scan.ts";
import { roomOf } from "./fit-columns.ts";
import {
  createTableSection,
  between,
  type DrawRows,
  withoutTrailingBlanks,
  writeLines,
} from "./table-section.ts";
import CliTable from "cli-table3";
import { isPlain } from "../values/width.ts";

/** Pages of a few inputs are held back, because the rows of each could need other columns and widths. */
const maxHeld = 40;

/** Shows lists page by page as they arrive. With several groups, each table has its group as a heading. */
export async function createListView(presentation: Presentation): Promise<Renderer> {
  const { output, groups, endpoint } = presentation;
  const paint = await createPaint(presentation.isColored);
  const sections = new Map<string, ReturnType<typeof createSection>>();
  const hidden = new Map<string, number>();
  const isOfInputs = traitsOf(endpoint.reply).isRecord || batchParam(endpoint.reply) !== undefined;
  let held: string[] | undefined = isOfInputs ? [] : undefined;

  const show = async (group: string, rows: readonly string[]): Promise<void> => {
    let section = sections.get(group);
    let heading = "";
    if (section === undefined) {
      const title = group.slice(0, 1).toUpperCase() + group.slice(1);
      if (groups.length > 1) heading = `${sections.size > 0 ? "\n" : ""}${paint(title, "heading")}\n`;
      section = createSection(presentation, group, paint);
      sections.set(group, section);
    }
    await output.write(heading + section.lines(rows));
  };
  const firstOf = (group: string, rows: readonly string[]): readonly string[] => {
    const { firstRows = rows.length } = rowShape(endpoint, group);
    const isBrief = groups.length > 1 && output.isTerminal && !presentation.isWide;
    if (!isBrief || rows.length <= firstRows) return rows;
    hidden.set(group, rows.length - firstRows);
    return rows.slice(0, firstRows);
  };
  const release = async (): Promise<void> => {
    const rows = held ?? [];
    held = undefined;
    if (rows.length > 0) await show("rows", rows);
  };

  return {
    page: async ({ group, rows }) => {
      if (rows.length === 0 || !groups.includes(group)) return;
      if (held === undefined) return await show(group, firstOf(group, rows.texts()));
      held.push(...rows.texts());
      if (held.length >= maxHeld) await release();
    },
    isShortened: () => [...sections.values()].some((section) => section.isShortened()),
    leftOut: () => [...new Set([...sections.values()].flatMap((section) => section.leftOut()))],
    hidden: () => hidden,
    release,
    end: release,
  };
}

function createSection(presentation: Presentation, group: string, paint: Paint) {
  const { output, endpoint, now, isUnicode, isWide, hasHeader } = presentation;
  const { before, isOn, hasSparks, findAsset } = presentation;
  const chosen = tableColumns(rowShape(endpoint, group), presentation);
  const columns = hasSparks ? withSparks(chosen) : chosen;
  const hasAges = presentation.hasAges && output.isTerminal;
  const countsZeros = isUnicode && output.isTerminal;
  const style = { now, hasAges, isUnicode, countsZeros, isRoomy: false, findAsset };
  const marked =
    before === undefined ? undefined : createMarkedTable(columns, style, isOn && ((row) => isOn(row, group)));
  const section = createTableSection({
    drawFirst: drawRows,
    columns: marked?.columns ?? columns,
    style: marked?.style ?? style,
    paint,
    room: isWide ? undefined : roomOf(output),
    hasHeader,
  });
  const readRow = (row: string): unknown => {
    const earlier = before?.(group, row);
    const value = parseExact(row);
    if (earlier !== undefined) marked?.remember(value, parseExact(earlier));
    return value;
  };
  return { ...section, lines: (rows: readonly string[]) => section.lines(rows.map(readRow)) };
}

function withSparks(columns: readonly TableColumn[]): readonly TableColumn[] {
  const names: readonly string[] = ["price_usd", "price_change_percentage_24h"];
  const last = columns.findLastIndex(({ paths }) => paths.some(([name = ""]) => names.includes(name)));
  return columns.toSpliced(last < 0 ? columns.length : last + 1, 0, sparkColumn);
}

/** The points are at uneven intervals. Prices are computed from the current price and its changes. */
const windows = ["24h", "6h", "1h", "5m"];
const titles = [...windows, "now"].map((name) => name.toUpperCase());

/** Comes after the columns that identify a row, but before all optional ones. */
const sparkColumn = drawnColumn(titles.join(" "), 2.5, drawSpark);

function drawSpark(row: unknown, { isUnicode }: CellStyle): Cell {
  const price = numberAt(row, "price_usd");
  const changes = windows.map(
    (window) =>
      numberAt(row, `price_change_percentage_${window}`) ?? numberAt(row, `${window}.last_price_usd_change`),
  );
  const prices = [...changes.map((change) => priceBefore(price, change)), price];
  const known = prices.filter((each) => each !== undefined);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || known.length < 2) return blank;
  const bars = sparkline(prices, isUnicode);
  const text = titles.map((title, index) => bars.charAt(index).repeat(title.length)).join(" ");
  return { text, tone: last > first ? "up" : last < first ? "down" : "plain" };
}

/** Undefined after a fall of 100%, from which the price cannot be computed. */
function priceBefore(price: number | undefined, change: number | undefined): number | undefined {
  if (price === undefined || change === undefined) return undefined;
  const before = price / (1 + change / 100);
  return Number.isFinite(before) && before >= 0 ? before : undefined;
}

function numberAt(row: unknown, path: string): number | undefined {
  const value = valueAt(row, path.split("."));
  return typeof value === "number" ? value : undefined;
}

function createMarkedTable(
  columns: readonly TableColumn[],
  style: CellStyle,
  isOn: ((row: unknown) => boolean) | undefined,
) {
  const earlier = new WeakMap<object, unknown>();
  const rowBefore = (row: unknown): unknown => (isObject(row) ? earlier.get(row) : undefined);
  /** `+` for a new row and `*` for a changed one, because not every terminal has color. */
  const signOf = (row: unknown): string => {
    const before = rowBefore(row);
    if (before === undefined) return "+";
    const isChanged = columns.some(
      (column) => columnCell(row, column, style).text !== columnCell(before, column, style).text,
    );
    return isChanged ? "*" : "";
  };
  const sign = drawnColumn(" ", -1, (row) => plain(signOf(row)));
  const alert = drawnColumn(" ", -2, (row) =>
    isOn?.(row) === true ? { text: alertMark(style.isUnicode), tone: "down" } : blank,
  );
  return {
    columns: [...(isOn === undefined ? [] : [alert]), sign, ...columns],
    style: { ...style, rowBefore },
    /** Not called for a new row. */
    remember: (row: unknown, before: unknown): void => {
      if (isObject(row)) earlier.set(row, before);
    },
  };
}

/** cli-table3 measures each cell eight times, which takes 0.2 ms per row and more than linear time per table. */
const maxRows = 32;

/**
 * Draws only the first rows with cli-table3. Later ones have the same widths and are drawn without it, as is everything
 * from the first text on that is not plain, because cli-table3 measures code points.
 */
export const drawRows: DrawRows = (columns, rows, paint) => {
  const hard = rows.findIndex((row) => row.some(({ text }) => !isPlain(text)));
  const count = Math.min(maxRows, hard < 0 ? rows.length : hard);
  const table = new CliTable({
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ isRight }) => (isRight ? "right" : "left")),
    chars: { ...Object.fromEntries(borders.map((name) => [name, ""])), middle: between },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...rows.slice(0, count).map((row) => row.map(({ text, tone }) => paint(text, tone))));
  const drawn = count === 0 ? [] : table.toString().split("\n");
  const lines = drawn.map((line) => `${withoutTrailingBlanks(line)}\n`).join("");
  return lines + writeLines(columns, rows.slice(count), paint);
};

/** cli-table3 omits the borders if there are no lines between its rows, and ignores unknown combinations. */
const borders = ["top", "mid", "bottom", "left", "right"].flatMap((side) =>
  ["", "-left", "-mid", "-right"].map((corner) => side + corner),
);
