/**
 * `text.replaceAll(every, write)` in bounded memory: that one holds all matches at once, and a stranger's text may be
 * tens of millions of them. `every` needs the `g` flag and matches one character or more.
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

/** Joins many short pieces; in portions, since a hostile document makes millions of them. */
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
