/** A line that most events bring again as it was: known where it lies, without a search for its end. */
export interface RepeatedLine {
  /** Bytes that the line takes with its LF where it comes again; else 0. */
  readonly lengthAt: (chunk: Buffer, at: number) => number;
  /** What it says; empty before the first. */
  readonly value: () => string;
  /** This is the line from now on; its value begins at `from`. */
  readonly keep: (line: Buffer, start: number, from: number, end: number) => void;
}

const LF = 0x0a;
/** Bytes: a longer line is looked for rather than compared. */
const longest = 64;
const none = Buffer.alloc(0);

export function createRepeatedLine(): RepeatedLine {
  let known: Buffer = none;
  let value = "";
  return {
    lengthAt: (chunk, at) => {
      const { length } = known;
      return length > 0 && stands(known, chunk, at) && chunk[at + length] === LF ? length + 1 : 0;
    },
    value: () => value,
    keep: (line, start, from, end) => {
      if (end - start === known.length && stands(known, line, start)) return;
      value = line.toString("utf8", from, end);
      known = end - start > longest ? none : Buffer.from(line.subarray(start, end));
    },
  };
}

/** Whether the known bytes are those from there on. For a few bytes this is sooner done than called for. */
export function stands(known: Buffer, bytes: Buffer, at: number): boolean {
  const { length } = known;
  if (at + length > bytes.length) return false;
  for (let index = 0; index < length; index += 1) {
    if (bytes[at + index] !== known[index]) return false;
  }
  return true;
}
