import { visibleText } from "../sanitise.ts";
import { cutText, isPlain } from "./width.ts";

/** Where there is less room, a beginning says more than two halves. */
const shortestWithEnd = 16;

/**
 * An asset in so many columns. Who typed an address knows its beginning and its end, so it is the middle that gives
 * way where the window is too narrow for all of it.
 */
export function assetLabel(asset: string, width: number, isUnicode: boolean): string {
  const text = visibleText(asset);
  const mark = isUnicode ? "…" : "...";
  const isSimple = isPlain(text) && !text.includes("\\");
  if (!isSimple || width < shortestWithEnd) return cutText(text, width, mark);
  if (text.length <= width) return text;
  const kept = width - mark.length;
  const end = Math.min(8, Math.floor(kept / 2));
  return text.slice(0, kept - end) + mark + text.slice(-end);
}
