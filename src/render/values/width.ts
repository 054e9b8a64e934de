import { ESCAPES, visibleText } from "../sanitise.ts";

/**
 * Returns the width of a text in terminal columns. Chinese, Japanese and Korean characters and emoji take up two
 * columns, and marks that combine with another character take up none. A character made of several code points counts
 * once.
 *
 * cli-table3 measures single code points, so it is not used for this: fitting and padding must agree in every line of
 * every table.
 */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  // Splitting text into graphemes is slow, and few texts need it.
  if (!JOINED.test(text)) return graphemeWidth(text);
  let width = 0;
  for (const { segment } of segments(text)) width += graphemeWidth(segment);
  return width;
}

/** Whether the text is printable ASCII, which every library measures the same way. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** Returns the spaces that pad a text to a width. */
export function padding(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - textWidth(text)));
}

/** Returns the mark to append to truncated text. */
export function ellipsis(isUnicode: boolean): string {
  return isUnicode ? "…" : "...";
}

/** Truncates the text to a width, and appends the mark if anything was removed. */
export function cutText(text: string, width: number, mark: string): string {
  // A UTF-16 unit is at most two columns wide, so most texts fit without being measured.
  if (text.length * 2 <= width || textWidth(text) <= width) return text;
  const room = width - textWidth(mark);
  return room < 0 ? takeColumns(text, width) : takeColumns(text, room) + mark;
}

/** Returns the leading characters that fit. An escape is never split. */
export function takeColumns(text: string, width: number): string {
  const kept = PLAIN.test(text) ? text.slice(0, Math.max(0, width)) : takeCharacters(text, width);
  const cut = text.includes("\\") ? escapeAcross(text, kept.length) : undefined;
  return cut === undefined ? kept : text.slice(0, cut);
}

/** Returns the start of the escape that a cut at `end` would split. */
function escapeAcross(text: string, end: number): number | undefined {
  for (const { index, 0: escape } of text.matchAll(ESCAPES)) {
    if (index >= end) return undefined;
    if (index + escape.length > end) return index;
  }
  return undefined;
}

function takeCharacters(text: string, width: number): string {
  let kept = "";
  let used = 0;
  for (const { segment } of segments(text)) {
    used += graphemeWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return kept;
}

const PLAIN = /^[ -~]*$/;
/**
 * Code points that combine with others into one emoji. Without them, a text is as wide as the sum of its characters.
 */
const JOINED = /\u200d|\ufe0f|\u20e3|\p{Regional_Indicator}|\p{Emoji_Modifier}/u;
/** Creates the segmenter when a text first needs it, because that takes 10 ms, and most tables are plain ASCII. */
function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

let segmenter: Intl.Segmenter | undefined;

/** Characters shown as emoji, either by default, like two-letter flags, or because U+FE0F requests it. */
const EMOJI = /^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\ufe0f|^[#*0-9]\ufe0f?\u20e3/u;
/** Combining marks, and the vowels and final consonants that are part of a Korean syllable. */
const NO_COLUMN = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]$/u;
/** Characters that are East Asian Wide or Fullwidth in Unicode, except the emoji above. */
const TWO_COLUMNS =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u4dff\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]$/u;

function graphemeWidth(grapheme: string): number {
  if (JOINED.test(grapheme) && EMOJI.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (PLAIN.test(character)) return 1;
  if (NO_COLUMN.test(character)) return 0;
  return TWO_COLUMNS.test(character) || EMOJI.test(character) ? 2 : 1;
}

export function separator(isUnicode: boolean): string {
  return isUnicode ? " · " : ", ";
}

/** Joins the parts as long as each fits completely. Only the first part may be truncated. */
export function joinFitting(parts: readonly string[], isUnicode: boolean, width: number): string {
  const [first = "", ...rest] = parts;
  let text = cutText(first, width, "");
  for (const part of rest) {
    const longer = `${text}${separator(isUnicode)}${part}`;
    if (textWidth(longer) > width) break;
    text = longer;
  }
  return text;
}

/** In a narrower space, the start of an address identifies it better than a shortened start and end. */
const shortestWithEnd = 16;

/** Fits an asset name into `width` columns. People recognize an address by its start and end, so the middle is cut. */
export function assetLabel(asset: string, width: number, isUnicode: boolean): string {
  const text = visibleText(asset);
  const mark = ellipsis(isUnicode);
  const isSimple = isPlain(text) && !text.includes("\\");
  if (!isSimple || width < shortestWithEnd) return cutText(text, width, mark);
  if (text.length <= width) return text;
  const kept = width - mark.length;
  const end = Math.min(8, Math.floor(kept / 2));
  return text.slice(0, kept - end) + mark + text.slice(-end);
}
