import { ESCAPES } from "../sanitise.ts";

/**
 * How many columns of a terminal a text takes, counted by what a person sees as one character: two for Chinese,
 * Japanese, Korean and emoji, none for marks that sit on another character.
 *
 * Written here because the measure of cli-table3's library counts single code points, and padding must agree with
 * fitting in every line of every table.
 */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  // Taking a text apart is slow, and needed for few.
  if (!JOINED.test(text)) return graphemeWidth(text);
  let width = 0;
  for (const { segment } of segments(text)) width += graphemeWidth(segment);
  return width;
}

/** Whether every library counts this text the same: printable ASCII. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** The beginning of the text that fits, with the mark at its end when something was cut off. */
export function cutText(text: string, width: number, mark: string): string {
  // No unit of a text is wider than two, so most are known to fit without being measured.
  if (text.length * 2 <= width || textWidth(text) <= width) return text;
  const room = width - textWidth(mark);
  if (room < 0) return takeColumns(text, width);
  return takeColumns(text, room) + mark;
}

/** As many whole characters from the beginning as fit; the escape of one is as whole as itself. */
export function takeColumns(text: string, width: number): string {
  const kept = PLAIN.test(text) ? text.slice(0, Math.max(0, width)) : takeCharacters(text, width);
  const cut = text.includes("\\") ? escapeAcross(text, kept.length) : undefined;
  return cut === undefined ? kept : text.slice(0, cut);
}

/** Where the escape begins that the text before `end` has only a part of. */
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
/** Parts of emoji that join into one. Without them the characters of a text are as wide together as apart. */
const JOINED = /\u200d|\ufe0f|\u20e3|\p{Regional_Indicator}|\p{Emoji_Modifier}/u;
/** Made when the first text needs it: it takes 10 ms, and most tables are plain. */
function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

let segmenter: Intl.Segmenter | undefined;

/** Shown as emoji by itself, or asked to be by U+FE0F; flags of two letters are emoji by themselves too. */
const EMOJI = /^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\ufe0f|^[#*0-9]\ufe0f?\u20e3/u;
/** Marks, and the vowels and final consonants that join a Korean syllable. */
const NO_COLUMN = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]$/u;
/** East Asian Wide and Fullwidth of Unicode; those that are emoji are known already. */
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
