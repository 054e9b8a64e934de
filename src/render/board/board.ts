import { addressKey } from "../../client/address-key.ts";
import type { CellStyle } from "../values/cell.ts";
import type { Window } from "../display.ts";
import { arrange } from "./arrange.ts";
import { type AssetRow, createAssetRow } from "./asset-row.ts";
import type { BoardOptions } from "./board-options.ts";
import { drawMore, drawStatus, drawText, drawTitle } from "./draw-lines.ts";
import { type Drawing, drawTable } from "./draw-table.ts";
import { type Reading, readEvent, shownOf } from "./readings.ts";
import type { TailState } from "./status-line.ts";

/** What came, and of which asset where that is known. */
export interface BoardEvent {
  readonly data: Buffer;
  /** `network:address` */
  readonly asset: string | undefined;
}

export interface Board {
  /** Data events at one moment. */
  readonly events: (events: readonly BoardEvent[], elapsed: number) => void;
  /** Something to tell beside the rows: the last few are shown for a while. */
  readonly say: (line: string, elapsed: number) => void;
  /** These assets from now on, in this order; what is known of those that stay is kept. */
  readonly watch: (assets: readonly string[], elapsed: number) => void;
  /**
   * The lines of the whole picture, none wider and no more than there is room for. Without a state the tail is over:
   * only what it brought is shown.
   */
  readonly frame: (window: Window, state: TailState | undefined, elapsed: number) => readonly string[];
}

/** How many of the things said are shown, and for how many milliseconds. */
const [mostSaid, longestSaid] = [3, 60_000];

/** The state of the live board and its picture, without a terminal or a timer. */
export function createBoard(options: BoardOptions): Board {
  const { feed, isUnicode, start } = options;
  const shown = shownOf[feed];
  const style: CellStyle = { now: 0, hasAges: false, isUnicode, countsZeros: false, isRoomy: false };
  let assets: readonly string[] = [];
  let rows: ReadonlyMap<string, AssetRow> = new Map();
  let said: readonly { readonly line: string; readonly at: number }[] = [];

  const watch = (wanted: readonly string[], elapsed: number): void => {
    const before = rows;
    assets = [...new Map(wanted.map((asset) => [assetKey(asset), asset])).values()];
    rows = new Map(
      assets.map((asset) => {
        const key = assetKey(asset);
        return [key, before.get(key) ?? createAssetRow(shown, style, elapsed)];
      }),
    );
  };
  watch(options.assets, start);

  /** By the place in its batch, else by the addresses it names. */
  const rowsOf = ({ asset }: BoardEvent, { chain, addresses }: Reading): ReadonlySet<AssetRow> => {
    const names = asset === undefined ? addresses.map((address) => `${chain}:${address}`) : [asset];
    return new Set(names.map((name) => rows.get(assetKey(name))).filter((row) => row !== undefined));
  };

  return {
    watch,
    events: (events, elapsed) => {
      for (const event of events) {
        const reading = readEvent(event.data, feed);
        if (reading === undefined) continue;
        for (const row of rowsOf(event, reading)) row.update(reading.values, elapsed);
      }
    },
    say: (line, elapsed) => {
      said = [...said, { line, at: elapsed }].slice(-mostSaid);
    },
    frame: (window, state, elapsed) => {
      const { columns } = window;
      said = state === undefined ? [] : said.filter(({ at }) => elapsed - at < longestSaid);
      const parts = arrange(rows.size, said.length, window.rows);
      const drawing: Drawing = { ...options, assets, rows: [...rows.values()] };
      const table = drawTable(drawing, parts.rows, columns, elapsed);
      const left = rows.size - parts.rows;
      return [
        ...(parts.hasTitle ? [drawTitle(options, assets.length, columns, elapsed)] : []),
        ...(parts.hasBlanks ? [""] : []),
        ...(parts.hasHeads ? [table.heads] : []),
        ...table.rows,
        ...(left > 0 ? [drawMore(options, left, columns)] : []),
        ...(parts.hasBlanks && state !== undefined ? [""] : []),
        ...said
          .slice(said.length - parts.said)
          .map(({ line }) => drawText(options, { text: line, tone: "faint" }, columns)),
        ...(state === undefined ? [] : [drawStatus(options, state, columns)]),
      ].slice(-window.rows);
    },
  };
}

function assetKey(asset: string): string {
  const colon = asset.indexOf(":");
  return asset.slice(0, colon + 1) + addressKey(asset.slice(colon + 1));
}
