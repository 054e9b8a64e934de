/** Joins pieces in batches, because a hostile document can contain millions. */
export function collectText(): { add: (piece: string) => void; end: () => string } {
  let whole = "";
  const pieces: string[] = [];
  const flush = (): void => {
    whole += pieces.join("");
    pieces.length = 0;
  };
  return {
    add: (piece) => {
      if (pieces.push(piece) === 4096) flush();
    },
    end: () => {
      flush();
      return whole;
    },
  };
}

/**
 * Like `text.replaceAll(every, write)`, but without holding all matches at once, which can be tens of millions in a
 * hostile text. `every` needs the `g` flag and must match at least one character.
 */
export function replaceEach(text: string, every: RegExp, write: (match: string) => string): string {
  const replaced = collectText();
  let kept = 0;
  every.lastIndex = 0;
  for (let match = every.exec(text); match !== null; match = every.exec(text)) {
    if (match.index > kept) replaced.add(text.slice(kept, match.index));
    replaced.add(write(match[0]));
    kept = every.lastIndex;
  }
  if (kept === 0) return text;
  replaced.add(text.slice(kept));
  return replaced.end();
}
