import { ESCAPES, shownText } from "../../../base/text/unsafe-text.ts";

/**
 * Returns the width in terminal columns. Chinese, Japanese and Korean characters and emoji take up two columns, and
 * combining marks none. cli-table3 would count the code points of one emoji separately.
 */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  // Splitting text into graphemes is slow, and few texts need it.
  if (!JOINED.test(text)) return graphemeWidth(text);
  let width = 0;
  for (const { segment } of segments(text)) width += graphemeWidth(segment);
  return width;
}

/** Printable ASCII, which every library measures the same way. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

export function padding(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - textWidth(text)));
}

export function ellipsis(isUnicode: boolean): string {
  return isUnicode ? "…" : "...";
}

/** Appends the mark only if text was removed. */
export function cutText(text: string, width: number, mark: string): string {
  // A UTF-16 unit is at most two columns wide, so most texts fit without being measured.
  if (text.length * 2 <= width || textWidth(text) <= width) return text;
  const room = width - textWidth(mark);
  return room < 0 ? takeColumns(text, width) : takeColumns(text, room) + mark;
}

// oxlint-disable-next-line no-control-regex -- paint() writes it
const COLOR = /(\u001B\[[\d;]*m)/u;

/** Like cutText(), for a line with color sequences, which take up no columns and are all kept. */
export function cutPainted(line: string, width: number, mark: string): string {
  if (line.length <= width || textWidth(line.split(COLOR).filter(isShown).join("")) <= width) return line;
  let room = width - textWidth(mark);
  let isCut = false;
  const parts = line.split(COLOR).map((part, index) => {
    if (!isShown(part, index)) return part;
    if (isCut) return "";
    const kept = takeColumns(part, room);
    room -= textWidth(kept);
    isCut = kept !== part;
    return isCut ? kept + mark : kept;
  });
  return parts.join("");
}

/** split() returns each separator between two texts. */
const isShown = (_: string, index: number): boolean => index % 2 === 0;

/** Never splits an escape. */
export function takeColumns(text: string, width: number): string {
  const kept = PLAIN.test(text) ? text.slice(0, Math.max(0, width)) : takeCharacters(text, width);
  for (const { index, 0: escape } of text.matchAll(ESCAPES))
    if (index + escape.length > kept.length) return text.slice(0, Math.min(index, kept.length));
  return kept;
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
/** Code points that combine with others into one emoji. Any other text is as wide as its characters combined. */
const JOINED = /\u200d|\ufe0f|\u20e3|\p{Regional_Indicator}|\p{Emoji_Modifier}/u;
/** Created on first use, because creation takes 10 ms and most tables are plain ASCII. */
function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

let segmenter: Intl.Segmenter | undefined;

/** Characters shown as emoji by default, or because U+FE0F requests it. */
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

/** Only the first part may be truncated. */
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

/** In less space, the start of an address identifies it better than a shortened start and end. */
const shortestWithEnd = 16;

/** Cuts the middle, because people recognize an address by its start and end. */
export function assetLabel(asset: string, width: number, isUnicode: boolean): string {
  const text = shownText(asset, { isUnicode });
  const mark = ellipsis(isUnicode);
  const isSimple = isPlain(text) && !text.includes("\\");
  if (!isSimple || width < shortestWithEnd) return cutText(text, width, mark);
  if (text.length <= width) return text;
  const kept = width - mark.length;
  const end = Math.min(8, Math.floor(kept / 2));
  return text.slice(0, kept - end) + mark + text.slice(-end);
}
