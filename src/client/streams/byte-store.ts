/** Bytes that come in pieces and are wanted as one. */
export interface ByteStore {
  readonly length: () => number;
  readonly add: (bytes: Uint8Array) => void;
  readonly addByte: (byte: number) => void;
  /** A part, and a LF behind it. */
  readonly addLine: (bytes: Buffer, from: number, to: number) => void;
  /** All of them, which stand there until the next ones are added; the store is empty then. */
  readonly lend: () => Buffer;
  /** All of them; the store is empty then, and does not touch again what it gave. */
  readonly take: () => Buffer;
}

const nothing: Buffer = Buffer.alloc(0);
const LF = 0x0a;
/** Room that is kept for the next ones. */
const mostKept = 64 * 1024;

/**
 * The room doubles, so that each byte costs the same however small the pieces are. The bytes are copied: a part of a
 * received chunk would keep the whole chunk in memory, which a sender of tiny parts in large chunks could make endless.
 */
export function createByteStore(): ByteStore {
  let room: Buffer = nothing;
  let length = 0;
  const makeRoom = (more: number): void => {
    if (length + more <= room.length) return;
    const larger = Buffer.allocUnsafe(Math.max(256, 2 * room.length, length + more));
    room.copy(larger, 0, 0, length);
    room = larger;
  };
  const add = (bytes: Uint8Array): void => {
    makeRoom(bytes.length);
    room.set(bytes, length);
    length += bytes.length;
  };
  const addByte = (byte: number): void => {
    if (length === room.length) makeRoom(1);
    room[length] = byte;
    length += 1;
  };
  const lend = (): Buffer => {
    const lent = room.subarray(0, length);
    if (room.length > mostKept) room = nothing;
    length = 0;
    return lent;
  };
  return {
    length: () => length,
    add,
    addByte,
    addLine: (bytes, from, to) => {
      makeRoom(to - from + 1);
      length += bytes.copy(room, length, from, to);
      addByte(LF);
    },
    lend,
    take: () => {
      const taken = lend();
      room = nothing;
      return taken;
    },
  };
}
