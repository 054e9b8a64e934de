/**
 * Wraps text into lines of at most `width`. Lines break only at spaces, so longer words, such as addresses or links,
 * are never split. Paragraphs stay separate.
 *
 * @param widthOf returns the width of a text in columns. Needed if the text may contain more than ASCII.
 */
export function wrapWords(text: string, width: number, widthOf = lengthOf): readonly string[] {
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

function lengthOf(text: string): number {
  return text.length;
}
