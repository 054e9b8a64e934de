/** Bytes before the code in a kept file: when its source was changed, and a sum of the code. V8 wants it at a multiple of 8. */
export const codeStart = 16;

/** What stands before the code. */
export function stampOf(code: Buffer, changed: number): Buffer {
  const stamp = Buffer.alloc(codeStart);
  stamp.writeDoubleLE(changed, 0);
  stamp.writeInt32LE(sumOf(code), 8);
  return stamp;
}

export function isStamped(file: Buffer, code: Buffer, changed: number): boolean {
  return file.length > codeStart && file.readDoubleLE(0) === changed && file.readInt32LE(8) === sumOf(code);
}

/**
 * After a loss of power whole blocks of a file may hold nothing, and its length still be right: a word in every 256
 * bytes tells, and to read all of them would take as long as the code saves.
 */
function sumOf(code: Buffer): number {
  let sum = code.length | 0;
  // Not readInt32LE, which checks what it is given each time: half a millisecond of a run.
  const words = new Int32Array(code.buffer, code.byteOffset, code.length >> 2);
  for (let at = 0; at < words.length; at += 64) sum = (Math.imul(sum, 31) + (words[at] ?? 0)) | 0;
  return sum;
}
