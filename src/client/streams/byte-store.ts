/** Bytes that come in pieces and are wanted as one. */
export interface ByteStore {
  readonly length: () => number;
  readonly add: (bytes: Uint8Array) => void;
  /** A part that is ASCII, and a LF behind it: at the speed of the memory, and without an object for it. */
  readonly addLine: (bytes: Uint8Array, from: number, to: number) => void;
  /** Keeps one more byte among at most so many, where that takes no memory; else nothing is done. */
  readonly tryByte: (byte: number, most: number) => boolean;
  readonly addByte: (byte: number) => void;
  /** All of them, which stand there until the next ones are added; the store is empty then. */
  readonly lend: () => Buffer;
  /** The same, at the beginning of what is given: to cut them off would take longer than to look at a short line. */
  readonly lendRoom: () => Buffer;
  /** All of them; the store is empty then, and does not touch again what it gave. */
  readonly take: () => Buffer;
}

const nothing: Buffer = Buffer.alloc(0);
const emptyView = viewOf(nothing);
const LF = 0x0a;
/** Room that is kept for the next ones. */
const mostKept = 64 * 1024;

/**
 * The room doubles, so that each byte costs the same however small the pieces are. The bytes are copied: a part of a
 * received chunk would keep the whole chunk in memory, which a sender of tiny parts in large chunks could make endless.
 */
export function createByteStore(): ByteStore {
  let room: Buffer = nothing;
  let view = emptyView;
  let length = 0;
  /** What text was added from last. */
  let source: Uint8Array = nothing;
  let sourceView = view;
  const setRoom = (bytes: Buffer): void => {
    room = bytes;
    view = viewOf(bytes);
  };
  const makeRoom = (more: number): void => {
    if (length + more <= room.length) return;
    const larger = Buffer.allocUnsafe(Math.max(256, 2 * room.length, length + more));
    room.copy(larger, 0, 0, length);
    setRoom(larger);
  };
  const lendRoom = (): Buffer => {
    const lent = room;
    if (room.length > mostKept) setRoom(nothing);
    length = 0;
    [source, sourceView] = [nothing, emptyView];
    return lent;
  };
  return {
    length: () => length,
    addLine: (bytes, from, to) => {
      if (bytes !== source) [source, sourceView] = [bytes, viewOf(bytes)];
      const size = to - from;
      makeRoom(size + 1);
      copyText(sourceView, from, size, view, length);
      view.setUint8(length + size, LF);
      length += size + 1;
    },
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
      const size = length;
      return lendRoom().subarray(0, size);
    },
    lendRoom,
    take: () => {
      const taken = room.subarray(0, length);
      setRoom(nothing);
      length = 0;
      return taken;
    },
  };
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}

/**
 * Eight bytes at a time, as a double: what is no number, whose bits might change on the way, is no text either. The last
 * eight may be some that were written before.
 */
function copyText(source: DataView, from: number, size: number, target: DataView, at: number): void {
  if (size < 8) {
    for (let index = 0; index < size; index += 1) target.setUint8(at + index, source.getUint8(from + index));
    return;
  }
  const last = size - 8;
  for (let index = 0; index < last; index += 8)
    target.setFloat64(at + index, source.getFloat64(from + index, true), true);
  target.setFloat64(at + last, source.getFloat64(from + last, true), true);
}
