import { plainStyle } from "../values/cell.ts";
import type { Key } from "../../../base/context/context.ts";
import { parseExact } from "../../../base/json/exact-json.ts";
import { isObject, member } from "../../../base/json/json-scan.ts";
import { type Window, createScroll, keysLine, restLine } from "../display.ts";
import { type AssetRow, createAssetRow, type NamedRow } from "./asset-row.ts";
import { shownValues } from "../../../api/feed.ts";
import { feeds } from "../../../api/feeds/all-feeds.ts";
import {
  arrange,
  type BoardOptions,
  drawFaint,
  drawStatus,
  drawTitle,
  type BoardState,
} from "./board-lines.ts";
import { type BoardOrder, boardOrders, drawTable, sortRows } from "./board-table.ts";
import { nameOf, type Subject, subjectKey } from "../../../client/subject.ts";

interface BoardEvent {
  readonly data: Buffer;
  /** Undefined if the connection does not identify the asset. */
  readonly asset: Subject | undefined;
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
      for (const event of events) {
        const data = parse(event.data.toString("utf8"));
        if (data === undefined) continue;
        const [chain = ""] = textsAt(data, chainNames);
        // If the connection does not identify the asset, the addresses in the event data do.
        const inData = textsAt(data, addressNames).map((address) => ({ network: chain, address }));
        const named = event.asset === undefined ? inData : [event.asset];
        const matching = new Set(named.map((subject) => rows.get(subjectKey(subject))));
        for (const each of matching) each?.row.update(data, chain, elapsed);
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
      const hasLabels = all.some(({ label }) => label !== undefined);
      const first = state === undefined ? 0 : scroll.first(all.length, parts.rows);
      const shownRows = sortRows(all, order, shown, elapsed).slice(first, first + parts.rows);
      const marked = state === undefined ? { ...options, isOn: undefined } : options;
      const table = drawTable(marked, shownRows, columns, { elapsed, order, hasLabels, shown });
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

/** A transaction has two tokens, and either may be the asset. */
const chainNames = ["chain", "c"];
const addressNames = ["address", "a", "pool_id", "token_id", "token_0", "token_1"];

function textsAt(event: object, names: readonly string[]): readonly string[] {
  return names.map((name) => member(event, name)).filter((value) => typeof value === "string");
}

/** Returns undefined for anything but a JSON object. The client reports such data. */
function parse(text: string): object | undefined {
  try {
    const value = parseExact(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
