import type { Paint } from "../painter.ts";
import type { FeedName } from "../../contract/feeds/all-feeds.ts";
import type { Cell } from "../values/cell.ts";
import { cutText, joinFitting } from "../values/width.ts";
import { visibleText } from "../sanitise.ts";
import { counted } from "../../text/counted.ts";

export interface BoardOptions {
  readonly feed: FeedName;
  /** `network:address`, in the order of their rows. */
  readonly assets: readonly string[];
  readonly isSimulated: boolean;
  readonly isUnicode: boolean;
  readonly paint: Paint;
  /** Milliseconds of the clock that cannot jump. */
  readonly start: number;
}

export function drawTitle(options: BoardOptions, assets: number, columns: number, elapsed: number): string {
  const { feed, isSimulated, isUnicode, paint, start } = options;
  const title = `dexdata stream ${feed}`;
  const rest = [
    counted(assets, "asset"),
    ...(isSimulated ? ["simulated data"] : []),
    `for ${duration(elapsed - start)}`,
  ];
  const line = joinFitting([title, ...rest], isUnicode, columns);
  return paint(line.slice(0, title.length), "heading") + paint(line.slice(title.length), "faint");
}

export function drawMore(options: BoardOptions, count: number, columns: number): string {
  const { isUnicode } = options;
  return drawText(options, { text: `${isUnicode ? "…" : "..."} ${count} more`, tone: "faint" }, columns);
}

/** Only the mark has a colour: a whole line of it would be read as news. */
export function drawStatus(options: BoardOptions, state: TailState, columns: number): string {
  const { text, tone } = statusLine(state, options.isUnicode, columns);
  const [mark = "", ...rest] = text;
  return options.paint(mark, tone) + rest.join("");
}

export function drawText({ paint, isUnicode }: BoardOptions, { text, tone }: Cell, columns: number): string {
  return paint(cutText(visibleText(text), columns, isUnicode ? "…" : "..."), tone);
}

/** `12 s`, `3 min`, `5 h 12 min`, `2 d 4 h`. */
function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes === 0) return `${seconds} s`;
  if (hours === 0) return `${minutes} min`;
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** How the tail is doing, at one moment. */
export interface TailState {
  /** Connections: all that are wanted, those that are open, and those that wait to be tried again. */
  readonly wanted: number;
  readonly open: number;
  readonly retrying: number;
  readonly events: number;
  readonly credits: number;
  readonly gaps: number;
}

/** One line, the most telling first: a narrow window has no room for the rest. */
function statusLine(state: TailState, isUnicode: boolean, width: number): Cell {
  const { wanted, open, retrying, events, credits, gaps } = state;
  const isWhole = open >= wanted;
  const mark = isUnicode ? (isWhole ? "●" : "○") : isWhole ? "*" : "!";
  const connections = isWhole
    ? `${counted(open, "connection")} open`
    : `${open} of ${counted(wanted, "connection")} open, ${retrying > 0 ? `${retrying} retrying` : "connecting"}`;
  const parts = [
    `${mark} ${connections}`,
    counted(events, "event"),
    gaps === 0 ? "no gaps" : counted(gaps, "gap"),
    counted(credits, "credit"),
  ];
  return {
    text: joinFitting(parts, isUnicode, width),
    tone: isWhole ? "up" : retrying > 0 ? "down" : "faint",
  };
}
