/** Bytes that come in pieces and are wanted as one. */
export interface ByteStore {
  readonly length: () => number;
  readonly add: (bytes: Uint8Array) => void;
  /** Keeps one more byte among at most so many, where that takes no memory; else nothing is done. */
  readonly tryByte: (byte: number, most: number) => boolean;
  readonly addByte: (byte: number) => void;
  /** All of them, which stand there until the next ones are added; the store is empty then. */
  readonly lend: () => Buffer;
  /** All of them; the store is empty then, and does not touch again what it gave. */
  readonly take: () => Buffer;
}

const nothing = Buffer.alloc(0);
/** Room that is kept for the next ones. */
const mostKept = 64 * 1024;

/**
 * The room doubles, so that each byte costs the same however small the pieces are. The bytes are copied: a part of a
 * received chunk would keep the whole chunk in memory, which a sender of tiny parts in large chunks could make endless.
 */
export function createByteStore(): ByteStore {
  let room = nothing;
  let length = 0;
  const makeRoom = (more: number): void => {
    if (length + more <= room.length) return;
    const larger = Buffer.allocUnsafe(Math.max(256, 2 * room.length, length + more));
    room.copy(larger, 0, 0, length);
    room = larger;
  };
  return {
    length: () => length,
    add: (bytes) => {
      makeRoom(bytes.length);
      room.set(bytes, length);
      length += bytes.length;
    },
    tryByte: (byte, most) => {
      if (length >= room.length || length >= most) return false;
      room[length] = byte;
      length += 1;
      return true;
    },
    addByte: (byte) => {
      if (length === room.length) makeRoom(1);
      room[length] = byte;
      length += 1;
    },
    lend: () => {
      const lent = room.subarray(0, length);
      if (room.length > mostKept) room = nothing;
      length = 0;
      return lent;
    },
    take: () => {
      const taken = room.subarray(0, length);
      [room, length] = [nothing, 0];
      return taken;
    },
  };
}
