import { addressKey } from "../../client/pages/page.ts";
import { isObject, member } from "../../json/raw-json.ts";
import type { CellStyle } from "../values/cell.ts";
import type { Window } from "../display.ts";
import { ellipsis } from "../values/width.ts";
import { type AssetRow, createAssetRow } from "./asset-row.ts";
import { type FeedName, feeds } from "../../contract/feeds/all-feeds.ts";
import {
  arrange,
  type BoardOptions,
  drawFaint,
  drawStatus,
  drawTitle,
  type TailState,
} from "./board-lines.ts";
import { drawTable } from "./board-table.ts";

interface BoardEvent {
  readonly data: Buffer;
  /** `network:address`; undefined if the connection does not identify the asset. */
  readonly asset: string | undefined;
}

export type Board = ReturnType<typeof createBoard>;

/** The maximum number of messages, and how many milliseconds each is shown. */
const [mostSaid, longestSaid] = [3, 60_000];

/** The live board: its state and its drawing code, independent of terminals and timers. */
export function createBoard(options: BoardOptions) {
  const { feed, isUnicode, start } = options;
  const { shown } = feeds[feed];
  const style: CellStyle = { now: 0, hasAges: false, isUnicode, countsZeros: false, isRoomy: false };
  let assets: readonly string[] = [];
  let rows: ReadonlyMap<string, AssetRow> = new Map();
  let said: readonly { readonly line: string; readonly at: number }[] = [];

  const watch = (wanted: readonly string[], elapsed: number): void => {
    const before = rows;
    assets = [...new Map(wanted.map((asset) => [assetKey(asset), asset])).values()];
    const keys = assets.map(assetKey);
    rows = new Map(keys.map((key) => [key, before.get(key) ?? createAssetRow(shown, style, elapsed)]));
  };
  watch(options.assets, start);

  return {
    /** Assets that were already shown keep their data. */
    watch,
    events: (events: readonly BoardEvent[], elapsed: number): void => {
      for (const event of events) {
        const reading = readEvent(event.data, feed);
        if (reading === undefined) continue;
        // If the connection does not identify the asset, the addresses in the event data do.
        const named = event.asset === undefined ? reading.assets : [event.asset];
        const found = new Set(named.map((name) => rows.get(assetKey(name))));
        for (const row of found) row?.update(reading.values, elapsed);
      }
    },
    /** Only the latest few messages are shown, for a limited time. */
    say: (line: string, elapsed: number): void => {
      said = [...said, { line, at: elapsed }].slice(-mostSaid);
    },
    /** Returns the complete frame. Once the stream has ended, `state` is undefined and only the rows are shown. */
    frame: (
      { columns, rows: height }: Window,
      state: TailState | undefined,
      elapsed: number,
    ): readonly string[] => {
      said = state === undefined ? [] : said.filter(({ at }) => elapsed - at < longestSaid);
      const parts = arrange(rows.size, said.length, height);
      const shownRows = [...rows.values()].slice(0, parts.rows);
      const named = shownRows.map((row, index) => [assets[index] ?? "", row] as const);
      const table = drawTable(options, named, columns, elapsed);
      const left = rows.size - parts.rows;
      const messages = said.slice(said.length - parts.said);
      return [
        ...(parts.hasTitle ? [drawTitle(options, assets.length, columns, elapsed)] : []),
        ...(parts.hasBlanks ? [""] : []),
        ...(parts.hasHeads ? [table.heads] : []),
        ...table.rows,
        ...(left > 0 ? [drawFaint(options, `${ellipsis(isUnicode)} ${left} more`, columns)] : []),
        ...(parts.hasBlanks && state !== undefined ? [""] : []),
        ...messages.map(({ line }) => drawFaint(options, line, columns)),
        ...(state === undefined ? [] : [drawStatus(options, state, columns)]),
      ].slice(-height);
    },
  };
}

function assetKey(asset: string): string {
  const colon = asset.indexOf(":");
  return asset.slice(0, colon + 1) + addressKey(asset.slice(colon + 1));
}

/** A transaction has two tokens, and either may be the asset. */
const chainNames = ["chain", "c"];
const addressNames = ["address", "a", "pool_id", "token_id", "token_0", "token_1"];

/** Returns undefined for anything but a JSON object. The client reports such data. */
function readEvent(data: Buffer, feed: FeedName) {
  const row = parse(data.toString("utf8"));
  if (row === undefined) return undefined;
  const texts = (names: readonly string[]): string[] =>
    names.map((name) => member(row, name)).filter((value) => typeof value === "string");
  const numeric = (names: readonly string[]): string | number | undefined =>
    names
      .map((name) => member(row, name))
      .find((value) => typeof value === "string" || typeof value === "number");
  const [chain = ""] = texts(chainNames);
  return {
    assets: texts(addressNames).map((address) => `${chain}:${address}`),
    values: feeds[feed].shown.map(({ names }) => numeric(names)),
  };
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
