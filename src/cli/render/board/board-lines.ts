import type { Paint } from "../terminal.ts";
import type { Window } from "../display.ts";
import { alertMark, type FindAsset } from "../values/cell.ts";
import { formatSeconds } from "../../../api/duration.ts";
import type { FeedKind } from "../../../api/feed.ts";
import type { FeedName } from "../../../api/feeds/all-feeds.ts";
import { cutText, ellipsis, joinFitting } from "../values/width.ts";
import { shownText } from "../sanitize.ts";
import { counted } from "../../../base/text/words.ts";
import type { Subject } from "../../../client/subject.ts";

export interface BoardOptions {
  readonly feed: FeedName;
  /** What the assets are. */
  readonly by: FeedKind["by"];
  /** In row order. */
  readonly assets: readonly Subject[];
  readonly isSimulated: boolean;
  readonly isUnicode: boolean;
  readonly paint: Paint;
  /** Milliseconds on the monotonic clock. */
  readonly start: number;
  readonly findAsset: FindAsset;
  /** Whether an alert is on for the asset. Undefined without alerts that last. */
  readonly isOn: ((asset: string) => boolean) | undefined;
}

/** Allocates the terminal's lines: the connection status first, titles and messages last. */
export function arrange(count: number, said: number, height: number) {
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

export function drawTitle(
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

export function drawFaint({ paint, isUnicode }: BoardOptions, text: string, columns: number): string {
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
export function drawStatus(options: BoardOptions, state: BoardState, columns: number, on: number): string {
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
