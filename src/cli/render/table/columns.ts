import { fieldAt, valueAt, splitPath } from "../../../api/record.ts";
import type { RowShape } from "../../../api/endpoint.ts";
import type { Presentation } from "../renderer.ts";
import {
  blank,
  type Cell,
  cellKind,
  type CellKind,
  type CellStyle,
  isNumeric,
  plain,
  showCell,
} from "../values/cell.ts";
import { showTrade, tradeTone } from "../values/trade.ts";
import { ellipsis } from "../values/width.ts";
import { chooseColumns, isOfTrade } from "./choose-columns.ts";
import { shownText } from "../../../base/text/unsafe-text.ts";
import { shortAddress } from "../../../client/subject.ts";

type DrawCell = (row: unknown, style: CellStyle) => Cell;

export interface TableColumn {
  readonly title: string;
  /** In a narrow window, the column with the lowest number is hidden last. */
  readonly priority: number;
  /** Alternatives. The first one with a value in the row is used. */
  readonly paths: readonly (readonly string[])[];
  readonly kind: CellKind;
  /** The column is shown in full or not at all, like numbers, times and identifiers. */
  readonly isWhole: boolean;
  /** The priority of a shortened address, if the column identifies the row. */
  readonly presence: number | undefined;
  /** The column is aligned like numbers if all its values are digits, for example raw token amounts. */
  readonly mayBeDigits: boolean;
  /** The user requested the column, so it is shown even if no row has a value. */
  readonly isAsked: boolean;
  readonly draw: DrawCell | undefined;
}

export const plainColumn = {
  paths: [],
  isWhole: true,
  presence: undefined,
  mayBeDigits: false,
  isAsked: false,
  draw: undefined,
} as const;

/** A column that is made here, and not from a field. Changes are not marked: inverted bars could not be read. */
export function drawnColumn(title: string, priority: number, draw: DrawCell): TableColumn {
  return { ...plainColumn, title, priority, kind: "mark", isAsked: true, draw };
}

type Choice = Pick<Presentation, "fields" | "columns" | "queried" | "isWide">;

/** With `--fields` or `--columns`, the columns are in the flag's order. */
export function tableColumns(shape: RowShape, choice: Choice): readonly TableColumn[] {
  const { fields, columns, queried, isWide } = choice;
  if (fields !== undefined)
    return fields.map((field, index) =>
      column(shape, [field], { title: field, priority: index, isAsked: true }),
    );
  const isAsked = columns !== undefined;
  const chosen = chooseColumns(shape, columns);
  const columnsOf = chosen.map(({ field, title, priority, shows }, index) => {
    const paths = typeof field === "string" ? [field] : field;
    const place = { title: title.toUpperCase(), priority: isAsked ? index : priority };
    const own = column(shape, paths, { ...place, isAsked: isAsked || isWide });
    if (shows === undefined) return own;
    if (shows !== "label" && shows !== "asset") {
      const draw: DrawCell = (row, style) => showTrade(row, shows, style);
      return { ...own, kind: shows === "type" ? ("text" as const) : ("amount" as const), draw };
    }
    const draw: DrawCell = (row, style) => assetCell(row, own, shows, style);
    const isAsset = shows === "asset";
    return { ...own, kind: isAsset ? ("address" as const) : ("text" as const), isWhole: isAsset, draw };
  });
  const hasTrades = shape.columns.some(isOfTrade);
  const shown = hasTrades ? columnsOf.map(tonedByTrade) : columnsOf;
  if (isAsked) return shown;
  const kept = chooseColumns(shape, queried);
  return keepingLonger(shown, new Set(kept.map((each) => chosen.indexOf(each))));
}

/** All cells of a trade have one color. */
function tonedByTrade(shown: TableColumn): TableColumn {
  const draw: DrawCell = (row, style) => {
    const cell = cellOf(row, shown, style);
    return cell.tone === "plain" ? { ...cell, tone: tradeTone(row) } : cell;
  };
  return { ...shown, draw };
}

/** An asset without a label is shown by its address, which distinguishes it from others in the same list. */
function assetCell(row: unknown, shown: TableColumn, shows: "label" | "asset", style: CellStyle): Cell {
  const [address, network] = [valueOf(row, shown) ?? valueAt(row, ["id"]), valueAt(row, ["chain"])];
  if (typeof address !== "string") return blank;
  const known = style.findAsset?.(address, typeof network === "string" ? network : undefined);
  const label = known?.name ?? known?.label;
  if (label !== undefined) return plain(shownText(label, style));
  if (shows === "label") return blank;
  return plain(shownText(shortAddress(address, ellipsis(style.isUnicode)), style));
}

/** The columns at these positions get priority over all other measures, but not over identifying columns. */
function keepingLonger(columns: readonly TableColumn[], kept: ReadonlySet<number>): readonly TableColumn[] {
  const measures = columns.filter(({ kind }) => isNumeric(kind));
  // Less than the distance between two priorities, so that it stays behind every identifying column.
  const before = Math.min(...measures.map(({ priority }) => priority)) - 0.25;
  return columns.map((each, index) =>
    kept.has(index) ? { ...each, priority: Math.min(each.priority, before) } : each,
  );
}

function column(
  shape: RowShape,
  fields: readonly string[],
  place: Pick<TableColumn, "title" | "priority" | "isAsked">,
): TableColumn {
  const paths = fields.map(splitPath);
  const path = paths[0] ?? [];
  const field = fieldAt({ ...shape.record, ...shape.added?.record }, path);
  const kind = cellKind(path.at(-1) ?? "", field);
  const isIdentity = fields.some((each) => shape.identity.includes(each));
  const isWord = (kind === "text" && field?.type.kind === "text") || kind === "unknown";
  return {
    ...place,
    paths,
    // A candle is identified by its opening time, so an age would not be exact enough.
    kind: kind === "time" && isIdentity ? "text" : kind,
    isWhole: !isWord || isIdentity,
    presence: isIdentity ? presenceOf(shape, place.priority) : undefined,
    draw: undefined,
    mayBeDigits:
      kind === "unknown" || field?.type.kind === "number-or-text" || field?.type.kind === "integer",
  };
}

/** An address is there before any measure, but useless without a network that the table shows before it. */
function presenceOf({ columns }: RowShape, whole: number): number {
  const network = columns.find(({ field }) => field === "chain")?.priority ?? Infinity;
  return Math.min(whole, network < whole ? network + 0.05 : 1.2);
}

/** Marks a change since the previous frame and, for numbers, its direction. */
export function columnCell(row: unknown, shown: TableColumn, style: CellStyle): Cell {
  const cell = cellOf(row, shown, style);
  const before = style.rowBefore?.(row);
  if (before === undefined || shown.kind === "mark") return cell;
  if (cellOf(before, shown, style).text === cell.text) return cell;
  const rise = isNumeric(shown.kind) ? Number(valueOf(row, shown)) - Number(valueOf(before, shown)) : 0;
  return { text: cell.text, tone: rise > 0 ? "risen" : rise < 0 ? "fallen" : "changed" };
}

function cellOf(row: unknown, shown: TableColumn, style: CellStyle): Cell {
  const { paths, kind, draw } = shown;
  if (draw !== undefined) return draw(row, style);
  for (const path of paths) {
    const value = valueAt(row, path);
    if (kind === "mark" && value === true) return plain(path.at(-1) ?? "");
    if (value !== undefined && value !== null) return showCell(value, kind, style);
  }
  return showCell(undefined, kind, style);
}

function valueOf(row: unknown, { paths }: TableColumn): unknown {
  return paths.map((path) => valueAt(row, path)).find((value) => value !== undefined && value !== null);
}
