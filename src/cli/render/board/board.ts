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
import { subjectKey } from "../../../client/subject.ts";

interface BoardEvent {
  readonly data: Buffer;
  /** `network:address`; undefined if the connection does not identify the asset. */
  readonly asset: string | undefined;
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
  let assets: readonly string[] = [];
  let rows: ReadonlyMap<string, AssetRow> = new Map();
  let said: readonly { readonly line: string; readonly at: number }[] = [];

  const watch = (wanted: readonly string[], elapsed: number): void => {
    const before = rows;
    assets = [...new Map(wanted.map((asset) => [assetKey(asset), asset])).values()];
    const rowOf = (asset: string): AssetRow =>
      before.get(assetKey(asset)) ??
      createAssetRow(shown, style, elapsed, asset.slice(asset.indexOf(":") + 1));
    rows = new Map(assets.map((asset) => [assetKey(asset), rowOf(asset)]));
  };
  watch(options.assets, start);

  return {
    /** Assets that were already shown keep their data. */
    watch,
    events: (events: readonly BoardEvent[], elapsed: number): void => {
      for (const event of events) {
        const data = parse(event.data.toString("utf8"));
        if (data === undefined) continue;
        const [chain = ""] = textsAt(data, chainNames);
        // If the connection does not identify the asset, the addresses in the event data do.
        const inData = textsAt(data, addressNames).map((address) => `${chain}:${address}`);
        const named = event.asset === undefined ? inData : [event.asset];
        const matching = new Set(named.map((name) => rows.get(assetKey(name))));
        for (const row of matching) row?.update(data, chain, elapsed);
      }
    },
    /** Only the latest few messages are shown, for a limited time. */
    say: (line: string, elapsed: number): void => {
      said = [...said, { line, at: elapsed }].slice(-maxSaid);
    },
    key: (key: Key): void => {
      if (key !== "s") return scroll.key(key);
      const hasLabels = assets.some((asset) => labelOf(asset, options) !== undefined);
      const orders = boardOrders(shown, hasLabels);
      order = orders[(orders.indexOf(order) + 1) % orders.length];
    },
    /** Returns the complete frame. Once the stream has ended, `state` is undefined and only the rows are shown. */
    frame: (window: Window, state: BoardState | undefined, elapsed: number): readonly string[] => {
      const { columns, rows: height } = window;
      said = state === undefined ? [] : said.filter(({ at }) => elapsed - at < longestSaid);
      const help = state !== undefined && scroll.isHelpShown() ? [keysLine(isUnicode)] : [];
      const parts = arrange(rows.size, said.length + help.length, height);
      const all = [...rows.values()].map((row, index): NamedRow => {
        const asset = assets[index] ?? "";
        return { asset, label: labelOf(asset, options), row };
      });
      const hasLabels = all.some(({ label }) => label !== undefined);
      const first = state === undefined ? 0 : scroll.first(all.length, parts.rows);
      const shownRows = sortRows(all, order, shown, elapsed).slice(first, first + parts.rows);
      const marked = state === undefined ? { ...options, isOn: undefined } : options;
      const table = drawTable(marked, shownRows, columns, { elapsed, order, hasLabels, shown });
      const messages = [...said.map(({ line }) => line), ...help].slice(-parts.said);
      return [
        ...(parts.hasTitle ? [drawTitle(options, assets.length, window, elapsed)] : []),
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
          : [drawStatus(options, state, columns, assets.filter((asset) => isOn?.(asset)).length)]),
      ].slice(-height);
    },
  };
}

function labelOf(asset: string, { findAsset }: Pick<BoardOptions, "findAsset">): string | undefined {
  const colon = asset.indexOf(":");
  const known = findAsset(asset.slice(colon + 1), asset.slice(0, colon));
  return known?.name ?? known?.label;
}

function assetKey(asset: string): string {
  const colon = asset.indexOf(":");
  return subjectKey({ network: asset.slice(0, colon), address: asset.slice(colon + 1) });
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
