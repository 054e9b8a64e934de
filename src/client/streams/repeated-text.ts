/** UTF-8 of a part of some bytes that is mostly the same as the time before: names of events, places in a batch. */
export function createRepeatedText(): (bytes: Buffer, from: number, to: number) => string {
  let known: Buffer = Buffer.alloc(0);
  let text = "";
  return (bytes, from, to) => {
    if (to - from !== known.length || !stands(known, bytes, from)) {
      known = Buffer.from(bytes.subarray(from, to));
      text = known.toString("utf8");
    }
    return text;
  };
}

/** Whether the known bytes are those from there on. For a few bytes this is sooner done than called for. */
export function stands(known: Buffer, bytes: Buffer, at: number): boolean {
  for (let index = 0; index < known.length; index += 1) {
    if (bytes[at + index] !== known[index]) return false;
  }
  return true;
}
