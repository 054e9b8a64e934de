const nothing: Buffer = Buffer.alloc(0);
const LF = 0x0a;
const usuallyKept = 64 * 1024;

export type ByteStore = ReturnType<typeof createByteStore>;

/**
 * Joins bytes that arrive in pieces. The memory is doubled when full, so that the cost per byte does not depend on the
 * size of the pieces. The bytes are copied: a slice of a received chunk would keep the entire chunk in memory, so a
 * sender could exhaust the memory with tiny slices of large chunks.
 * Memory of up to `maxKeptBytes` is reused.
 */
export function createByteStore(maxKeptBytes = usuallyKept) {
  let memory: Buffer = nothing;
  let length = 0;
  const makeRoom = (more: number): void => {
    if (length + more <= memory.length) return;
    const larger = Buffer.allocUnsafe(Math.max(256, 2 * memory.length, length + more));
    memory.copy(larger, 0, 0, length);
    memory = larger;
  };
  const addByte = (byte: number): void => {
    if (length === memory.length) makeRoom(1);
    memory[length] = byte;
    length += 1;
  };
  const addPart = (bytes: Buffer, from: number, to: number): void => {
    makeRoom(to - from);
    // A call of the runtime takes longer than a few bytes.
    if (to - from > 64) {
      length += bytes.copy(memory, length, from, to);
      return;
    }
    // Local variables take half as long as those of the closure.
    const target = memory;
    const distance = length - from;
    for (let at = from; at < to; at += 1) target[at + distance] = bytes[at] ?? 0;
    length += to - from;
  };
  /** The bytes are valid only until more bytes are added. */
  const lend = (): Buffer => {
    const lent = memory.subarray(0, length);
    if (memory.length > maxKeptBytes) memory = nothing;
    length = 0;
    return lent;
  };
  return {
    length: (): number => length,
    add: (bytes: Uint8Array): void => {
      makeRoom(bytes.length);
      memory.set(bytes, length);
      length += bytes.length;
    },
    addByte,
    addPart,
    addLine: (bytes: Buffer, from: number, to: number): void => {
      addPart(bytes, from, to);
      addByte(LF);
    },
    lend,
    /** The store does not modify these bytes afterwards. */
    take: (): Buffer => {
      const taken = lend();
      memory = nothing;
      return taken;
    },
  };
}
