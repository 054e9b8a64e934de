/** Where the byte stands, the length where it does not. A look at a few bytes costs less than calling a search. */
export function findByte(chunk: Buffer, byte: number, from: number): number {
  const { length } = chunk;
  if (length - from > 32) {
    const found = chunk.indexOf(byte, from);
    return found < 0 ? length : found;
  }
  let at = from;
  while (at < length && chunk[at] !== byte) at += 1;
  return at;
}
