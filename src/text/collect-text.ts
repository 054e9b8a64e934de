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
