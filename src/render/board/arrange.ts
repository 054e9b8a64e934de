/** Which parts of the board a window has lines for. */
export interface Arrangement {
  readonly rows: number;
  readonly hasTitle: boolean;
  readonly hasHeads: boolean;
  readonly hasBlanks: boolean;
  /** How many of the things said last. */
  readonly said: number;
}

/** What a window has lines for: the state of the connections first, then rows, then what explains them. */
export function arrange(count: number, said: number, height: number): Arrangement {
  let left = height - 1;
  const take = (lines: number, least: number): boolean => {
    const isTaken = left - lines >= least;
    if (isTaken) left -= lines;
    return isTaken;
  };
  const some = Math.min(count, 3);
  const hasHeads = take(1, some);
  const hasTitle = take(1, some);
  const saidLines = Math.max(0, Math.min(said, left - some));
  left -= saidLines;
  const hasBlanks = take(2, Math.min(count, 8));
  // The line that tells of rows left out takes the place of one.
  const rows = count <= left ? count : Math.max(0, left - 1);
  return { rows, hasTitle, hasHeads, hasBlanks, said: saidLines };
}
