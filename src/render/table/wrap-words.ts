import { textWidth } from "../values/width.ts";

/** Breaks at blanks only: a word that is longer than a line, an address or a link, stays whole. */
export function wrapWords(text: string, width: number): readonly string[] {
  if (textWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const word of text.split(" ")) {
    const length = textWidth(word);
    if (line !== "" && used + 1 + length > width) {
      lines.push(line);
      line = "";
      used = 0;
    }
    used += line === "" ? length : length + 1;
    line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}
