/** Formats a number with a noun: `1,234 events`, `1 event`. */
export function counted(number: number, noun: string): string {
  return `${grouped(String(number))} ${noun}${number === 1 ? "" : "s"}`;
}

/** Formats a string of digits with thousands separators: `1,234,567`. */
export function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/gu, ",");
}

/** Joins words: `ndjson, csv or json`. */
export function inWords(words: readonly string[], last: "and" | "or"): string {
  const before = words.slice(0, -1).join(", ");
  return before === "" ? words.join("") : `${before} ${last} ${words.at(-1)}`;
}

/** Quotes a word for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Formats a time in milliseconds since the epoch for messages and for `--events`. */
export function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Joins the first names: `a, b and 3 more`. */
export function someOf(names: readonly string[], most = 7): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} and ${more} more` : names.join(", ");
}

/** In characters. The text of an event may be a megabyte long, which is far too long to print. */
const longest = 1024;

export function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const on: readonly string[] = ["1", "true", "t", "yes", "y", "on"];
const off: readonly string[] = ["false", "f", "no", "n", "off", "none"];

/** Ignores case. Undefined for other words, because guessing could turn simulated data on or off unnoticed. */
export function readSwitch(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (on.includes(word)) return true;
  return off.includes(word) || /^0+$/u.test(word) ? false : undefined;
}

/** Wraps only at spaces, so that addresses and links are never split. `widthOf` is needed for non-ASCII text. */
export function wrapWords(
  text: string,
  width: number,
  widthOf = (part: string): number => part.length,
): readonly string[] {
  return text.split("\n").flatMap((paragraph) => {
    if (widthOf(paragraph) <= width) return [paragraph];
    const lines: string[] = [];
    let line = "";
    let used = 0;
    for (const word of paragraph.split(" ")) {
      const length = widthOf(word);
      if (line !== "" && used + 1 + length > width) {
        lines.push(line);
        line = "";
        used = 0;
      }
      used += line === "" ? length : length + 1;
      line = line === "" ? word : `${line} ${word}`;
    }
    return line === "" ? lines : [...lines, line];
  });
}
