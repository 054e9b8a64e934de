const nothing: Buffer = Buffer.alloc(0);
const LF = 0x0a;
/** Memory kept for the next bytes. */
const maxKeptBytes = 64 * 1024;

export type ByteStore = ReturnType<typeof createByteStore>;

/**
 * Joins bytes that arrive in pieces. The memory doubles, so that each byte costs the same however small the pieces are. The
 * bytes are copied: a part of a received chunk would keep all of the chunk in memory, and a sender of tiny parts in large
 * chunks could make that endless.
 */
export function createByteStore() {
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
  /** Returns all bytes, which remain valid until the next ones are added, and empties the store. */
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
    /** Adds a part of the bytes, and a LF after it. */
    addLine: (bytes: Buffer, from: number, to: number): void => {
      makeRoom(to - from + 1);
      length += bytes.copy(memory, length, from, to);
      addByte(LF);
    },
    lend,
    /** Returns all bytes, which the store never changes again, and empties the store. */
    take: (): Buffer => {
      const taken = lend();
      memory = nothing;
      return taken;
    },
  };
}
