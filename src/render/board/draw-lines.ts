import type { Cell } from "../values/cell.ts";
import { joinFitting } from "../table/join-fitting.ts";
import { visibleText } from "../sanitise.ts";
import { cutText } from "../values/width.ts";
import type { BoardOptions } from "./board-options.ts";
import { counted } from "../../text/counted.ts";
import { statusLine, type TailState } from "./status-line.ts";

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
