import { alertMark, plainStyle } from "../values/cell.ts";
import { orUndefined } from "../../../base/failure.ts";
import type { Key } from "../../../base/context/context.ts";
import { parseExact } from "../../../base/json/exact-json.ts";
import { isObject } from "../../../base/json/json-scan.ts";
import { type Window, createScroll, keysLine, restLine } from "../display.ts";
import { type AssetRow, createAssetRow, type NamedRow } from "./asset-row.ts";
import { shownValues } from "../../../api/feed.ts";
import { formatSeconds } from "../../../api/duration.ts";
import { counted } from "../../../base/text/words.ts";
import { shownText } from "../../../base/text/unsafe-text.ts";
import { cutText, ellipsis, joinFitting } from "../values/width.ts";
import { feeds } from "../../../api/feeds.ts";
import { type BoardOptions, type BoardOrder, boardOrders, drawTable, sortRows } from "./board-table.ts";
import { nameOf, type Subject, subjectKey } from "../../../client/subject.ts";

interface BoardEvent {
  readonly data: Buffer;
  readonly asset: Subject;
}

export type Board = ReturnType<typeof createBoard>;

/** The maximum number of messages, and how many milliseconds each is shown. */
const [maxSaid, longestSaid] = [3, 60_000];

/** The live board: its state and its drawing code, independent of terminals and timers. */
export function createBoard(options: BoardOptions) {
  const { feed, by, isUnicode, start, findAsset, isOn } = options;
  const shown = shownValues(feeds[feed], by);
  const style = { ...plainStyle, isUnicode, countsZeros: isUnicode, findAsset };
  const scroll = createScroll();
  let order: BoardOrder;
  let rows: ReadonlyMap<string, { readonly subject: Subject; readonly row: AssetRow }> = new Map();
  let said: readonly { readonly line: string; readonly at: number }[] = [];

  const watch = (wanted: readonly Subject[], elapsed: number): void => {
    const rowOf = (subject: Subject): AssetRow =>
      rows.get(subjectKey(subject))?.row ?? createAssetRow(shown, style, elapsed, subject.address);
    rows = new Map(wanted.map((subject) => [subjectKey(subject), { subject, row: rowOf(subject) }]));
  };
  watch(options.assets, start);
  const labelOf = ({ network, address }: Subject): string | undefined => {
    const known = findAsset(address, network);
    return known?.name ?? known?.label;
  };

  return {
    /** Assets that were already shown keep their data. */
    watch,
    events: (events: readonly BoardEvent[], elapsed: number): void => {
      for (const { data, asset } of events) {
        const row = rows.get(subjectKey(asset))?.row;
        const values = row && parse(data.toString("utf8"));
        if (values !== undefined) row?.update(values, asset.network, elapsed);
      }
    },
    /** Only the latest few messages are shown, for a limited time. */
    say: (line: string, elapsed: number): void => {
      said = [...said, { line, at: elapsed }].slice(-maxSaid);
    },
    key: (key: Key): void => {
      if (key !== "s") return scroll.key(key);
      const hasLabels = [...rows.values()].some(({ subject }) => labelOf(subject) !== undefined);
      const orders = boardOrders(shown, hasLabels);
      order = orders[(orders.indexOf(order) + 1) % orders.length];
    },
    /** Returns the complete frame. Once the stream has ended, `state` is undefined and only the rows are shown. */
    frame: (window: Window, state: BoardState | undefined, elapsed: number): readonly string[] => {
      const { columns, rows: height } = window;
      said = state === undefined ? [] : said.filter(({ at }) => elapsed - at < longestSaid);
      const help = state !== undefined && scroll.isHelpShown() ? [keysLine(isUnicode)] : [];
      const parts = arrange(rows.size, said.length + help.length, height);
      const all = Array.from(rows.values(), ({ subject, row }): NamedRow => ({
        asset: nameOf(subject),
        label: labelOf(subject),
        row,
      }));
      const first = state === undefined ? 0 : scroll.first(all.length, parts.rows);
      const sorted = sortRows(all, order, shown, elapsed);
      const marked = state === undefined ? { ...options, isOn: undefined } : options;
      const view = { elapsed, order, shown, first, visible: parts.rows };
      const table = drawTable(marked, sorted, columns, view);
      const messages = [...said.map(({ line }) => line), ...help].slice(-parts.said);
      return [
        ...(parts.hasTitle ? [drawTitle(options, all.length, window, elapsed)] : []),
        ...(parts.hasBlanks ? [""] : []),
        ...(parts.hasHeads ? [table.heads] : []),
        ...table.rows,
        ...(parts.rows < all.length
          ? [drawFaint(options, restLine(first, parts.rows, all.length, isUnicode), columns)]
          : []),
        ...(parts.hasBlanks && state !== undefined ? [""] : []),
        ...(parts.said > 0 ? messages : []).map((line) => drawFaint(options, line, columns)),
        ...(state === undefined
          ? []
          : [drawStatus(options, state, columns, all.filter(({ asset }) => isOn?.(asset)).length)]),
      ].slice(-height);
    },
  };
}

/** Allocates the terminal's lines: the connection status first, titles and messages last. */
function arrange(count: number, said: number, height: number) {
  let left = height - 1;
  const take = (lines: number, least: number): boolean => {
    const isTaken = left - lines >= least;
    if (isTaken) left -= lines;
    return isTaken;
  };
  const some = Math.min(count, 3);
  const hasHeads = take(1, some);
  const hasTitle = take(1, some);
  const saidLines = Math.max(0, Math.min(said, left - some));
  left -= saidLines;
  const hasBlanks = take(2, Math.min(count, 8));
  // The line with the number of hidden rows takes up a row itself.
  const rows = count <= left ? count : Math.max(0, left - 1);
  return { rows, hasTitle, hasHeads, hasBlanks, said: saidLines };
}

function drawTitle(
  options: BoardOptions,
  assets: number,
  { columns, hasKeys = false }: Window,
  elapsed: number,
): string {
  const { feed, isSimulated, isUnicode, paint, start } = options;
  const title = `dexdata stream ${feed}`;
  const rest = [
    counted(assets, "asset"),
    ...(isSimulated ? ["simulated data"] : []),
    `running for ${duration(elapsed - start)}`,
    ...(hasKeys ? ["? for keys"] : []),
  ];
  const line = joinFitting([title, ...rest], isUnicode, columns);
  return paint(line.slice(0, title.length), "heading") + paint(line.slice(title.length), "faint");
}

function drawFaint({ paint, isUnicode }: BoardOptions, text: string, columns: number): string {
  return paint(cutText(shownText(text, { isUnicode }), columns, ellipsis(isUnicode)), "faint");
}

/** `12s`, `3m`, `5h12m`, `3d`, rounded down. */
function duration(milliseconds: number): string {
  const unit = milliseconds < 60_000 ? 1000 : 60_000;
  return formatSeconds(Math.floor(milliseconds / unit) * unit);
}

export interface BoardState {
  /** The numbers of connections required, open, and waiting to retry. */
  readonly wanted: number;
  readonly open: number;
  readonly retrying: number;
  readonly events: number;
  readonly credits: number;
  readonly gaps: number;
}

/** Starts with the most important part, because a narrow terminal cuts off the end. */
function drawStatus(options: BoardOptions, state: BoardState, columns: number, on: number): string {
  const { isUnicode, paint, isOn } = options;
  const { wanted, open, retrying, events, credits, gaps } = state;
  const isWhole = open >= wanted;
  const [whole, partial] = isUnicode ? ["●", "○"] : ["*", "!"];
  const connections = isWhole
    ? `${whole} ${counted(open, "connection")} open`
    : `${partial} ${open} of ${counted(wanted, "connection")} open, ${retrying > 0 ? `${retrying} retrying` : "connecting"}`;
  const parts = [
    connections,
    ...(isOn === undefined ? [] : [`${alertMark(isUnicode)} alert on: ${counted(on, "asset")}`]),
    counted(events, "event"),
    gaps === 0 ? "no gaps" : counted(gaps, "gap"),
    counted(credits, "credit"),
  ];
  const line = joinFitting(parts, isUnicode, columns);
  // A fully colored line would look like an alert.
  return paint(line.slice(0, 1), isWhole ? "up" : retrying > 0 ? "down" : "faint") + line.slice(1);
}

/** Returns undefined for anything but a JSON object. The client reports such data. */
function parse(text: string): object | undefined {
  const value = orUndefined(() => parseExact(text));
  return isObject(value) ? value : undefined;
}
