import { addressKey } from "../../client/address-key.ts";
import type { CellStyle } from "../cell.ts";
import { arrange } from "./arrange.ts";
import { createAssetRow } from "./asset-row.ts";
import type { BoardOptions } from "./board-options.ts";
import { drawMore, drawStatus, drawText, drawTitle } from "./draw-lines.ts";
import { type Drawing, drawTable } from "./draw-table.ts";
import { readEvent, shownOf } from "./readings.ts";
import type { TailState } from "./status-line.ts";

export interface Board {
  /** Data events as they came, at one moment. */
  readonly events: (events: readonly { readonly data: Buffer }[], elapsed: number) => void;
  /** Something to tell beside the rows; the last few are shown. */
  readonly say: (line: string) => void;
  /** The lines of the whole picture, none wider and no more than there is room for. */
  readonly frame: (window: Window, state: TailState, elapsed: number) => readonly string[];
}

export interface Window {
  readonly columns: number;
  readonly rows: number;
}

/** How many of the things said are kept in sight. */
const mostSaid = 3;

/** The state of the live board and its picture, without a terminal or a timer. */
export function createBoard(options: BoardOptions): Board {
  const { feed, isUnicode, start } = options;
  const shown = shownOf[feed];
  const style: CellStyle = { now: 0, hasAges: false, isUnicode, isRoomy: false };
  const assets = [...new Set(options.assets)];
  const rows = new Map(assets.map((asset) => [assetKey(asset), createAssetRow(shown, style, start)]));
  const only = rows.size === 1 ? [...rows.values()] : undefined;
  const drawing: Drawing = { ...options, assets, rows: [...rows.values()] };
  let said: readonly string[] = [];

  return {
    events: (events, elapsed) => {
      for (const { data } of events) {
        const reading = readEvent(data, feed);
        if (reading === undefined) continue;
        const keys = reading.addresses.map((address) => assetKey(`${reading.chain}:${address}`));
        const meant = only ?? keys.map((key) => rows.get(key)).filter((row) => row !== undefined);
        for (const row of new Set(meant)) row.update(reading.values, elapsed);
      }
    },
    say: (line) => {
      said = [...said, line].slice(-mostSaid);
    },
    frame: (window, state, elapsed) => {
      const parts = arrange(drawing.rows.length, said.length, window.rows);
      const table = drawTable(drawing, parts.rows, window.columns, elapsed);
      const { columns } = window;
      return [
        ...(parts.hasTitle ? [drawTitle(options, columns, elapsed)] : []),
        ...(parts.hasBlanks ? [""] : []),
        ...(parts.hasHeads ? [table.heads] : []),
        ...table.rows,
        ...(parts.rows < drawing.rows.length
          ? [drawMore(options, drawing.rows.length - parts.rows, columns)]
          : []),
        ...(parts.hasBlanks ? [""] : []),
        ...said
          .slice(said.length - parts.said)
          .map((line) => drawText(options, { text: line, tone: "faint" }, columns)),
        drawStatus(options, state, columns),
      ].slice(0, window.rows);
    },
  };
}

function assetKey(asset: string): string {
  const colon = asset.indexOf(":");
  return asset.slice(0, colon + 1) + addressKey(asset.slice(colon + 1));
}
