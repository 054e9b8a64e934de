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
